"""The support vector classifier that chooses its own kernel and C."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import column_or_1d

from kernelwise._core.labels import check_are_classes, encode_labels, positive_weights
from kernelwise._core.memory import MEMORY_LIMIT
from kernelwise._core.reading import read_samples
from kernelwise._core.sklearn_compat import ELSEWHERE, stacklevel_of_user
from kernelwise._core.typing import MatrixLike
from kernelwise._core.validation import copies_of, is_dask
from kernelwise.conformal import least_probabilities
from kernelwise.estimators._classifier import DecisionClassifier
from kernelwise.estimators._exportable import Exportable
from kernelwise.estimators._parameters import LOSS, OF_LABELS, OF_TUNED
from kernelwise.estimators.blend_machine import BlendSVC
from kernelwise.estimators.costs import (
    check_answers,
    check_threshold,
    check_threshold_score,
    cost_matrix,
)
from kernelwise.estimators.missing_parameters import explains_missing
from kernelwise.estimators.nystroem_machines import NystroemSVC
from kernelwise.estimators.svc import SVC
from kernelwise.estimators.tuned import Checked, TunedMachine
from kernelwise.estimators.unlike import tell_unknown_labels
from kernelwise.findings import catalogue
from kernelwise.kernels import Kernel
from kernelwise.multiclass import STRATEGIES, check_strategy, choose_reject_label
from kernelwise.search import Classification, Found, make_scorers
from kernelwise.tables import check_no_quantity


class TunedSVC(Exportable, DecisionClassifier, TunedMachine):
    """Support vector classifier that chooses its kernel, the kernel's parameters and C from the data.

    The search scales the features. It then looks at the distances between samples to find a few promising
    kernel widths, and scores each width, for many values of C, by cross-validation. From the best width it
    tries neighbouring widths as long as the score improves. It does this for several forms of kernel and for
    their sum, and trains a blend of the best ones on all samples.

    Parameters
    ----------
    kernel : str, Kernel or list of them, default="auto"
        "auto" compares RBF and Laplacian kernels, each with one width and with a width for every feature, and
        their sum. Of those within one standard error of the best score, it chooses the one with the lowest
        held-out log-loss. A list makes the search choose among its kernels (names or objects) and their sum.
        You can also pass a name of :data:`kernelwise.kernels.KERNELS`, or a kernel object to start from. With
        "precomputed", X is the Gram matrix. With "precomputed-distance", X is a matrix of distances D between
        samples: the search chooses γ of exp(−γD), and new samples are given by their distances from all
        training samples.
    criterion : "auto", str or Criterion, default="auto"
        "auto" lets cross-validation choose among widths that several criteria suggest. With a criterion, by
        name or as an object, that criterion alone chooses the kernel. Cross-validation then chooses C, unless
        the criterion has chosen it, too.
    search : str or Optimizer, default=None
        The optimizer of a criterion: a name of :data:`kernelwise.optimizers.OPTIMIZERS`, or an object. None
        uses the global maximum of the distance sketch where there is one, otherwise quasi-Newton steps, or a
        grid if the criterion has no derivative.
    Cs : float or array, default=None
        Values of C to try. None uses a range that depends on the kernel (for a wide kernel, C grows like σ²).
        The search extends the range while the best value is at its end, between 2⁻¹² and 2¹³ over the
        variance in feature space.
    cv : "auto", int, splitter or iterable of (train, test), default="auto"
        Folds of the cross-validation. "auto" means 5 folds below 500 rows, 3 below 1500, else 2. With "auto"
        or a number, the folds are stratified, do not depend on the order of the rows (except for matrices),
        and hold out whole groups if ``fit`` gets ``groups``. A splitter or a list of pairs is also possible:
        its test parts may overlap or miss rows, and a fold may train on a part of the other rows only, as
        with TimeSeriesSplit, ShuffleSplit or GroupKFold.
    scoring : str, callable, list or dict, default=None
        The score to maximise; None means accuracy. It accepts the same values as `GridSearchSVC`, and also
        scores of probabilities, such as "neg_log_loss". The probabilities of a row then come from sigmoids
        that were not fitted to it. If there are several scores, ``refit`` names the one to maximise, and
        ``cv_results_`` has all.
    refit : True, False, "one-standard-error", callable or the name of a score, default=True
        True trains the best candidate on all samples. "one-standard-error" trains the most regularised
        candidate whose score is within one standard error of the best. A callable gets ``cv_results_`` and
        returns the number of a row. False trains no final model.
    scale : {"standard", "robust", "minmax"}, transformer or None, default="standard"
        How to scale the features. The scaling is learned from all samples before the folds are drawn; it does
        not use labels. Sparse features are not centred.
    categorical_features : "from_dtype", None, or array of names, indices or booleans, default="from_dtype"
        Which columns hold words. "from_dtype" means the columns of text and categories of a data frame (of
        pandas, polars or pyarrow); columns of numbers and booleans are numbers. None means no column, and
        text is an error. Words and missing values are coded so that every column has the same weight as a
        standardised number; see ``docs/guide/frames.md``.
    multiclass : {"ovo", "ovr", "ovr-fuzzy", "ovo-reject"}, default="ovo"
        As in `SVC`.
    reject_label : object, default=None
        As in `SVC`.
    class_weight : dict, "balanced" or a list of them, default=None
        As in `SVC`. "balanced" counts sample weights, so that a weight of 2 counts as two rows, and it
        balances the training part of each fold. With a list, such as ``[None, "balanced"]``, the search runs
        with each weight and keeps the one with the highest score.
    loss : {"hinge", "squared_hinge", "logistic"}, default="hinge"
        As in `SVC`, for all models of the search and the final one (a Nyström model has its own). The smooth
        losses often give better probabilities, and take two to four times as long, for many classes longer;
        ``docs/how-it-chooses.md`` compares them.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        As in `SVC`.
    predict_by : {"probability", "decision"}, default="probability"
        As in `SVC`. The search itself always compares models by the labels of "decision", because sigmoids
        for every kernel and C would take longer than the models. ``result_.score`` is the score of the labels
        that `predict` returns.
    threshold : None, float or "auto", default=None
        For two classes: `predict` returns ``classes_[1]`` where its probability is above this number, which
        is between 0 and 1. "auto" finds the threshold whose labels have the highest ``scoring``, such as
        "f1", on held-out rows. None means one half.
    costs : array of shape (n_classes, n_classes) or dict, default=None
        The cost of wrong predictions: `predict` returns the class with the lowest expected cost. A row of the
        array is the true class, a column the predicted one, both in the order of ``classes_``; the diagonal
        is zero. A dict maps a true class to the cost of any wrong prediction for it.
    tol, max_iter : float, int
        As in `SVC`.
    solver : {"auto", "exact", "nystroem"}, default="auto"
        How to train the final model. "nystroem" trains `NystroemSVC` with the chosen kernel, in time that
        grows like n; it chooses its own C, for the squared hinge loss. "auto" is "exact" up to 100 000
        distinct rows of 20 columns (160 000 of two columns, 50 000 of a hundred or more, or with a kernel
        that is not made of Gaussian and Laplacian ones). For more rows it compares both models on a sample,
        and takes the exact one, of a part of the rows and maybe with a smaller C, where that is better. A
        finding in ``diagnostics_`` has the scores.
    effort : {"fast", "normal", "best"}, default="normal"
        How hard to search. "fast" looks at 2000 rows at most instead of 5000, and tries no kernels with
        weights of features, and does not blend. "best" looks at 10 000 rows, scores all forms of kernel on
        all of them, and uses five folds at least; it takes up to ten times as long. What you set yourself
        (``kernel``, ``cv``, ``time_budget``) wins. ``docs/cost.md`` has the cost and the gain of each level.
    blend : "auto", True or False, default="auto"
        Whether the final model is a blend of several settings that the search has scored, in place of the
        best one: the mean of their log odds. Each is trained on all rows, and together they are one model
        with several kernels, so that everything works as with one. ``result_.members`` lists the settings;
        ``kernel_``, ``C_`` and ``best_params_`` are still those of the single best one. "auto" blends if
        you name neither a kernel nor a criterion, unless ``effort="fast"``. See ``docs/guide/blends.md``.
    time_budget : float, default=None
        Time in seconds after which the search starts nothing new. The final model is then trained on as many
        rows as the remaining time allows. A warning and ``diagnostics_`` tell what was skipped.
    memory_limit : float, default=2048
        Memory in MiB that `fit` and `predict` take, beside the data and within a fifth. It decides how a
        model is computed. Only a limit below the default may also let the search look at fewer rows; a
        finding says so.
    n_jobs : int, default=None
        Number of threads, under every backend of joblib. Results do not depend on it.
    backend : {None, "dask"}, default=None
        Where the cross-validation runs. None means here, in ``n_jobs`` threads. "dask" means dask's current
        scheduler or cluster, fold by fold, and several kernels at a time if there is no time budget. The
        result is the same; see ``docs/cost.md``. "dask" needs the extra ``dask``.
    random_state : int, RandomState or None, default=0
        Seed of the folds, and of the samples drawn from more than 5000 rows.
    verbose : int, default=0
        If positive, print a line to standard error for every kernel that is scored, with its score as in
        ``cv_results_``, and one for the model, with ``best_score_``. Callbacks such as scikit-learn's
        ProgressBar (1.9 and later; ``set_callbacks``) get a task for each kernel.

    Attributes
    ----------
    kernel_ : Kernel or "precomputed"
        The chosen kernel, for scaled features.
    C_ : float
        C of the model. It is that of the search, ``best_params_["C"]``, unless the final model is an
        approximation or one of a part of the rows, which choose their own; ``result_.how`` has both then.
    best_score_ : float
        The score of the model, ``result_.score``: that of its answers (`predict`) to rows that folds held
        out or, where the final model is none of those that the search compared, to other rows that were held
        out. All that quotes a score of the model has this number. It is the best of many and so a little too
        high; ``result_.corrected_score`` corrects for that. `cross_val_score` and `compare` give unbiased
        scores. With ``refit=False`` there are no such answers, and it is what the search compared.
    best_index_, best_params_, cv_results_, n_splits_, refit_time_, scorer_
        As in GridSearchCV, but ``cv_results_`` has what the search compared, ``mean_test_score`` by the signs
        of decision values and ``smoothed_test_score``, its mean over neighbouring values of C. So
        ``mean_test_score[best_index_]`` may differ from ``best_score_``. ``reason`` says why a kernel was
        tried.
        The kernel in ``best_params_`` is a dict, so that JSON can hold it: ``kernel`` of every estimator, and
        :func:`kernelwise.kernels.as_kernel`, take it for the kernel. ``cv_results_`` has objects.
    criterion_path_ : dict from str to ndarray
        The criteria over the widths, or the history of the search of a criterion.
    diagnostics_ : tuple of Finding
        What you should know about the data and the model; warnings are among them.
    n_svm_fits_ : int
        Number of support vector machines trained, including the final ones.
    result_ : SelectionResult
        The whole result; ``result_.why`` has the reasons of the choice.
    relevance_ : ndarray of shape (n_features,)
        The share of each feature in the distances, if the chosen kernel has a weight for every feature; the
        shares sum to 1. A column of words or with gaps has one share. With other kernels, this attribute
        raises an AttributeError that explains it.
    metric_ : ndarray of shape (n_features, n_features)
        For learned metrics: Q of exp(−½ (x − y)ᵀQ(x − y)), in the units of X. If there is an ``encoder_``, it
        is the metric of the features that the encoder makes.
    best_estimator_ : SVC or NystroemSVC
        The final model, for scaled features.
    scaler_ : transformer or None
        The fitted scaling of the features.
    best_class_weight_ : dict, "balanced" or None
        The class weight that was used; of a list, the one that was chosen.
    threshold_, threshold_error_ : float
        The probability above which `predict` returns ``classes_[1]``, if ``threshold`` is given, and its
        standard error if it was chosen by "auto".
    training_range_ : ndarray of shape (3, n_features)
        Smallest, median and largest value of each feature, after words and gaps were coded, in dense training
        samples; `unlike` goes by them.
    encoder_ : Encoder
        Turns words and gaps into features; it exists only if the samples have some.
        ``encoder_.feature_names`` are the names of these features, and ``encoder_.read(X)`` returns the
        features of new samples.
    steering_ : object
        The score that the search maximises: ``scoring``, or the one of several that ``refit`` names.
    fit_record_ : FitRecord or None
        Predictions for held-out rows and other facts that a report shows; None with ``refit=False``.
    multiclass_, machines_ : str
        The strategy of the fit, and whether its two-class models are "ovo" (pairs) or "ovr" (one-vs-rest).
    n_machines_ : int
        Number of two-class models of the final model.
    goes_by_probability_ : bool
        Whether `predict` returns the most likely class; otherwise it uses the decision values.
    sigmoids_ : ndarray of shape (n_machines, 2) or None
        Platt's sigmoid of each two-class model; None if there are no probabilities.
    costs_ : ndarray of shape (n_classes, n_classes) or None
        The costs of wrong answers that ``costs`` gives: rows are true classes, columns are answers.
    reject_label_ : object
        Label of rejected samples; None if the strategy rejects none.
    target_name_ : str or None
        The name of the column that is predicted, if it has one.
    classes_, n_features_in_, feature_names_in_, n_iter_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from kernelwise import TunedSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = TunedSVC().fit(X, y)
    >>> model.score(X, y) > 0.98
    True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **OF_TUNED,
        **OF_LABELS,
        **LOSS,
        "threshold": ELSEWHERE,
        "costs": ELSEWHERE,
    }

    @explains_missing("SVC")
    def __init__(
        self,
        kernel: Any = "auto",
        *,
        criterion: Any = "auto",
        search: Any = None,
        Cs: Any = None,
        cv: Any = "auto",
        scoring: Any = None,
        refit: Any = True,
        scale: Any = "standard",
        categorical_features: Any = "from_dtype",
        multiclass: str = "ovo",
        reject_label: Any = None,
        class_weight: Any = None,
        loss: str = "hinge",
        decision_function_shape: str = "ovr",
        predict_by: str = "probability",
        threshold: Any = None,
        costs: Any = None,
        tol: float = 1e-3,
        max_iter: int = -1,
        solver: str = "auto",
        effort: str = "normal",
        blend: bool | str = "auto",
        time_budget: float | None = None,
        memory_limit: float = MEMORY_LIMIT,
        n_jobs: int | None = None,
        backend: str | None = None,
        random_state: int = 0,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.criterion = criterion
        self.search = search
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.scale = scale
        self.categorical_features = categorical_features
        self.multiclass = multiclass
        self.reject_label = reject_label
        self.class_weight = class_weight
        self.loss = loss
        self.decision_function_shape = decision_function_shape
        self.predict_by = predict_by
        self.threshold = threshold
        self.costs = costs
        self.tol = tol
        self.max_iter = max_iter
        self.solver = solver
        self.effort = effort
        self.blend = blend
        self.time_budget = time_budget
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.backend = backend
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, **params: Any) -> Self:
        """Choose the kernel and C, and train the final model.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), or the Gram matrix
            A dask array or dataframe is also possible. Up to 50 000 rows, the result is the same as for rows
            in memory. With more rows, scaling and cross-validation use a sample of 50 000 rows, while the
            distance sketch and the final model, an approximation (Nyström), use all rows, chunk by chunk.
        y : array of shape (n_samples,)
            Class labels.
        sample_weight : array of shape (n_samples,), default=None
            A weight of 2 is the same as a repeated row.
        groups : array of shape (n_samples,), default=None
            Groups of rows, for the splitter ``cv``. If ``cv`` is "auto" or a number, the folds hold out whole
            groups.
        **params
            Further metadata for the splitter or the scorer, if metadata routing of scikit-learn is enabled.
        """
        routed = self._route(sample_weight, groups, params)
        if is_dask(X):
            if isinstance(self.class_weight, list | tuple):
                raise ValueError(
                    "'class_weight' of TunedSVC is a list, which works only for samples in memory, but X is "
                    "a dask collection. Pass one weight."
                )
            from kernelwise.distributed.fit import fit_on_chunks

            return fit_on_chunks(self, X, y, sample_weight, routed)
        if isinstance(self.class_weight, list | tuple):
            return _choose_class_weight(self, X, y, sample_weight, groups, params)
        return self._fit(X, y, sample_weight, routed=routed)

    def _check(self, X: MatrixLike, y: ArrayLike | None, sample_weight: ArrayLike | None) -> Checked:
        check_strategy(self.multiclass, self.decision_function_shape)
        check_answers(self, STRATEGIES[self.multiclass].rejects)
        features, y = read_samples(self, X, cast(ArrayLike, y), **self._input())
        labels = column_or_1d(y, warn=True)
        check_are_classes(labels)
        self.classes_, index = encode_labels(labels)
        check_threshold(self.threshold, self.classes_, "TunedSVC")
        check_threshold_score(self.threshold, self.steering_, "TunedSVC")
        weight = positive_weights(sample_weight, index, self.classes_)
        check_no_quantity(self.classes_, np.bincount(index, copies_of(weight)), "TunedSVC")
        self.reject_label_ = choose_reject_label(
            self.reject_label, self.classes_, self.multiclass, "TunedSVC"
        )
        return Checked(features, index, index, weight)

    def _family(self) -> Classification:
        return Classification(
            self.classes_,
            self.multiclass,
            self.class_weight,
            loss=self.loss,
            shape=self.decision_function_shape,
            reject_label=self.reject_label_,
            by_probability=self.predict_by == "probability",
            threshold=self.threshold,
            costs=None if self.costs is None else cost_matrix(self.costs, self.classes_, "TunedSVC"),
        )

    def _scorer_of(self, scoring: Any) -> Any:
        return make_scorers(SVC(), scoring, "TunedSVC")

    def _machine(self, kernel: Kernel | str, C: float, epsilon: float | None) -> SVC:
        return SVC(
            kernel=kernel,
            C=C,
            loss=self.loss,
            multiclass=self.multiclass,
            reject_label=self.reject_label,
            decision_function_shape=self.decision_function_shape,
            predict_by=self.predict_by,
            tol=self.tol,
            max_iter=self.max_iter,
            memory_limit=self.memory_limit,
            n_jobs=self.n_jobs,
        )

    def _blend(self, machines: list[SVC], maps: np.ndarray) -> BlendSVC:
        return BlendSVC(
            machines,
            maps,
            multiclass=self.multiclass,
            reject_label=self.reject_label,
            decision_function_shape=self.decision_function_shape,
            predict_by=self.predict_by,
            n_jobs=self.n_jobs,
        )

    def _nystroem(self, kernel: Kernel, C: float, epsilon: float | None, random_state: int) -> NystroemSVC:
        return NystroemSVC(
            kernel=kernel,
            multiclass=self.multiclass,
            reject_label=self.reject_label,
            decision_function_shape=self.decision_function_shape,
            predict_by=self.predict_by,
            memory_limit=self.memory_limit,
            random_state=random_state,
        )

    def _keep(self, found: Found) -> None:
        super()._keep(found)
        self.best_class_weight_ = self.class_weight
        answers = found.answers
        if answers.threshold is not None:
            self.threshold_ = answers.threshold
        if answers.error is not None:
            self.threshold_error_ = answers.error
        if answers.costs is not None:
            self._costs = answers.costs
        if found.machine is not None:
            self.best_estimator_._costs = self._costs  # it answers as this model does

    def predict_set(self, X: Any, coverage: float = 0.9, conditional: str | None = None) -> np.ndarray:
        """Return sets of classes that contain the true class of that share of new samples.

        A class is in the set if its probability is at least a limit: the one that covers this share of the
        rows which the folds of the search held out (conformal prediction). ``fit_record_.holds_for`` says
        for which new samples this holds.

        A set with several classes means that the model cannot tell them apart there; with all classes, that
        it knows nothing. An empty set means that no class is as likely there as the true class usually is.
        Most empty sets are near boundaries, and of a coverage below the accuracy of the model.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        coverage : float, default=0.9
            Between 0 and 1.
        conditional : {None, "class"}, default=None
            With "class", every class has its own limit, and the coverage holds for the samples of each class.
            A class with fewer held-out rows than coverage/(1 − coverage) is then in all sets.

        Returns
        -------
        sets : boolean ndarray of shape (n_samples, n_classes)
            Columns are in the order of ``classes_``.
        """
        if conditional not in (None, "class"):
            raise ValueError(f"'conditional' of predict_set must be None or 'class', got {conditional!r}.")
        record, n_classes = self._held_out(coverage), len(self.classes_)
        assert record.of_truth is not None
        answers, by_class = (record.of_truth, record.truth, record.weight), conditional == "class"
        limits = least_probabilities(*answers, n_classes, coverage, by_class, record.times)
        return np.asarray(self.predict_proba(X) >= limits)

    @property
    def multiclass_(self) -> str:
        """Strategy of the last fit."""
        return self.best_estimator_.multiclass_

    def score(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> float:
        """Return the score that ``scoring`` names; accuracy if ``scoring`` is None.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), default=None
        **params
            Further arguments of the scorer.
        """
        if hasattr(self, "classes_"):
            tell_unknown_labels(y, self.classes_)
        if self.steering_ is None:
            return super().score(X, y, sample_weight, **params)
        return self._asked_score(X, y, {"sample_weight": sample_weight, **params})


def _choose_class_weight(
    model: Any, X: Any, y: Any, sample_weight: Any, groups: Any, params: dict[str, Any]
) -> Any:
    """Fit a classifier under each of the weights in its list ``class_weight``, and keep the best of them.

    The first of equal scores is taken. Scores are comparable: the folds and the scorer are the same, and no
    class weight is in a score. Warnings are those of the fit that is kept.
    """
    options = list(model.class_weight)
    if not options:
        raise ValueError("'class_weight' of TunedSVC is an empty list. Pass weights, 'balanced' or None.")
    best, heard, scores = None, [], []
    for option in options:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            one = clone(model).set_params(class_weight=option).fit(X, y, sample_weight, groups, **params)
        scores.append(one.best_score_)
        if best is None or one.best_score_ > best.best_score_:
            best, heard = one, caught
    assert best is not None
    for warning in heard:
        warnings.warn(warning.message, warning.category, stacklevel=stacklevel_of_user())
    listed = "; ".join(f"{option!r}: {score:.4g}" for option, score in zip(options, scores, strict=True))
    finding = catalogue.CLASS_WEIGHTS(class_weight=best.class_weight, scores=listed)
    params = model.get_params(deep=False)
    for name, value in vars(best).items():
        if name not in params:
            setattr(model, name, value)
    model.diagnostics_ = (*best.diagnostics_, finding)
    model.result_ = replace(best.result_, diagnostics=model.diagnostics_)
    model._context().on_end(model.result_)
    return model
