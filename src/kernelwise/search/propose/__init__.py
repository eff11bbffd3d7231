"""What is tried: kernels, widths, values of C, metrics and forms.

::

    candidates.py       step 3: widths of a kernel, each named by a rule
    c_range.py          step 4: values of C that follow the kernel
    climb.py            step 6: a few widths, then uphill from the best
    forms.py            several forms of kernel and their sum, and which of them wins
    metric_forms.py     a metric for a kernel: by gradients, by a criterion, or none, anew for each fold
    gradient_metric.py  weights of columns or a metric from the gradients of a machine, and kernels with them
    metric_learner.py   a metric learned by a criterion from several starts
    by_criterion.py     a kernel chosen by a criterion alone
    one_class.py        kernels for one class, at widths that follow the median distance
    landmarks.py        how many landmarks of Nyström features, and which C
"""
