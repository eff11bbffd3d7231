"""The one-class machine that chooses its own kernel."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from kernelwise._core.labels import weights_of_samples
from kernelwise._core.memory import MEMORY_LIMIT
from kernelwise._core.reading import read_samples
from kernelwise._core.typing import MatrixLike
from kernelwise._core.validation import check_integer
from kernelwise.conformal import p_values
from kernelwise.estimators._exportable import Portable
from kernelwise.estimators._parameters import OF_TUNED_ONE_CLASS
from kernelwise.estimators.kernel_argument import is_precomputed
from kernelwise.estimators.missing_parameters import explains_missing
from kernelwise.estimators.nystroem_machines import NystroemOneClassSVM
from kernelwise.estimators.one_class_svm import OneClassSVM
from kernelwise.estimators.tuned import Checked, TunedMachine
from kernelwise.kernels import Kernel, as_kernel
from kernelwise.search import FitSettings, Found, OneClass, Tail, check_kind_of_folds

#: The share of rows, over ν, up to which a machine ranks them: scores of the other ones are nearly equal, and
#: differ by the machine that gives them (six kinds of data, ν from 0.05 to 0.5).
RANKED = 0.6


class TunedOneClassSVM(Portable, OutlierMixin, TunedMachine):
    """One-class support vector machine that chooses its kernel from the data, with or without labels.

    The model learns where rows usually are, and scores how unusual new rows are. It scales features by median
    and interquartile range. Without labels, a rule of thumb sets the kernel: exp(−γ‖x − y‖₁), where γ is four
    divided by the median city-block distance. The search also tries two neighbouring kernels, and chooses one
    of them only if it separates held-out rows clearly better from artificial rows. If some outliers are
    labelled, the search scores more kernels and values of ν by how well they rank the labelled rows in
    cross-validation. The threshold comes from held-out scores.

    Parameters
    ----------
    kernel : str, Kernel or list of them, default="auto"
        "auto" chooses among Laplacian and RBF kernels (with labels, also RBF kernels of whitened features). A
        name of :data:`kernelwise.kernels.KERNELS` sets the form; for "laplacian" and "rbf" the search chooses
        the width. A kernel object is used unchanged. With a list, the search chooses among its kernels.
    contamination : float, default=None
        The share of outliers among the training samples, above 0 and at most 0.5: this share of their
        held-out scores is below the threshold. None sets the threshold so that 5 % of the rows that are not
        labelled as outliers are below it.
    criterion : {"auto", "pseudo-outliers", "mass-volume", "median"}, default="auto"
        What chooses the kernel if there are no labels. "mass-volume" compares held-out rows with random rows
        from a box around all rows: it is the share of pairs in which the held-out row scores higher.
        "pseudo-outliers" is the mean of that and of two similar shares, for rows moved by noise and for rows
        that mix the values of two others. "median" uses the rule of thumb. "auto" means "pseudo-outliers"; on
        the problems of ``benchmarks.novelty`` the three are equal within their errors.
    nu : float, default=None
        ν, above 0 and at most 1. None means 0.5, or the best of several values if there are labels. The
        threshold does not depend on ν.
    scoring : {None, "roc_auc", "average_precision"}, default=None
        The score to maximise if there are labels; None means ROC AUC.
    scale : {"robust", "standard", "minmax"}, transformer or None, default="robust"
        How to scale the features. "robust" subtracts medians and divides by interquartile ranges, or by
        standard deviations where a range is zero. Sparse features are only divided by standard deviations.
    categorical_features : "from_dtype", None, or array of names, indices or booleans, default="from_dtype"
        Which columns hold words: as in `TunedSVC`.
    cv : "auto", int, splitter or iterable of (train, test), default="auto"
        Folds of the cross-validation. "auto" means 5 folds below 500 rows, 3 below 1500, else 2. With "auto"
        or a number, the folds hold out whole groups if ``fit`` gets ``groups``. A splitter or pairs must hold
        out every sample exactly once.
    tol, max_iter : float, int
        As in `OneClassSVM`.
    solver : {"auto", "exact", "nystroem"}, default="auto"
        How to train the final model. "exact" trains `OneClassSVM` on all rows. "auto" does the same, on a
        sample of 5000 rows if there are more. "nystroem" trains `NystroemOneClassSVM` on all rows, which
        suits kernels that are wider than those that "auto" chooses.
    time_budget : float, default=None
        Time in seconds after which the search scores no further kernel. The search looks at fewer rows if it
        is short. A warning and ``diagnostics_`` tell what was skipped.
    memory_limit : float, default=2048
        Memory in MiB that `fit` and `predict` take, beside the data and within a fifth. It decides how a
        model is computed. Only a limit below the default may also let the search look at fewer rows; a
        finding says so.
    n_jobs : int, default=None
        Number of threads. Results do not depend on it.
    backend : {None, "dask"}, default=None
        Where the cross-validation runs: here, in ``n_jobs`` threads, or on dask's current scheduler or
        cluster. The result is the same. "dask" needs the extra ``dask``.
    random_state : int, RandomState or None, default=0
        Seed of the folds, of the artificial rows, and of samples drawn from many rows.
    verbose : int, default=0
        If positive, print a line to standard error for every kernel that is scored, and one for the model.

    Attributes
    ----------
    kernel_ : Kernel
        The chosen kernel, for scaled features.
    nu_ : float
        The chosen ν.
    threshold_, threshold_error_ : float
        Rows with a score below the threshold are outliers; the error is its standard error.
    offset_ : float
        The same as ``threshold_``: decision values are scores minus this.
    contamination_ : float
        The share of rows that the threshold is set for.
    training_scores_ : ndarray of shape (n_samples,)
        Held-out scores of the training samples, by models that were not trained on them; NaN for samples of
        weight zero. A sample that occurs more often than others has a higher score. To find outliers among
        the training samples, use these scores and not those of the final model, which was trained on them.
    training_probabilities_ : ndarray of shape (n_samples,)
        Outlier probabilities of the training samples, from these scores.
    criterion_ : str
        What chose the kernel: the criterion, or the score of the labels.
    cv_results_, best_index_, best_params_, best_score_, n_splits_, refit_time_
        As in GridSearchCV, for the score that chose the kernel. ``cv_results_`` also has the columns
        ``form``, ``width_factor`` and ``reason``. The kernel in ``best_params_`` is a dict, as in `TunedSVC`.
    diagnostics_ : tuple of Finding
        What you should know about the data and the model; warnings are among them.
    n_svm_fits_ : int
        Number of support vector machines trained, including the final one.
    result_ : OneClassResult
        The whole result; ``result_.why`` has the reasons of the choice.
    best_estimator_ : OneClassSVM or NystroemOneClassSVM
        The final model, for scaled features. Its coefficients sum to one, and its offset is the threshold.
    scaler_ : transformer or None
        The fitted scaling of the features.
    training_range_ : ndarray of shape (3, n_features)
        Smallest, median and largest value of each feature, after words and gaps were coded, in dense training
        samples; `unlike` goes by them.
    encoder_ : Encoder
        Turns words and gaps into features; it exists only if the samples have some.
    steering_ : str or None
        The parameter ``scoring``.
    fit_record_ : None
        What other tuned models have for their reports.
    target_name_ : str or None
        The name of the column that is predicted, if it has one.
    n_features_in_, feature_names_in_, n_iter_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise import TunedOneClassSVM
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> model = TunedOneClassSVM().fit(X)
    >>> model.predict([[0.0, 0.0], [5.0, 5.0]]).tolist()
    [1, -1]
    >>> model.outlier_probability([[0.0, 0.0], [5.0, 5.0]]).round(2).tolist()
    [0.07, 1.0]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = OF_TUNED_ONE_CLASS

    @explains_missing("OneClassSVM")
    def __init__(
        self,
        kernel: Any = "auto",
        *,
        contamination: float | None = None,
        criterion: str = "auto",
        nu: float | None = None,
        scoring: str | None = None,
        scale: Any = "robust",
        categorical_features: Any = "from_dtype",
        cv: Any = "auto",
        tol: float = 1e-3,
        max_iter: int = -1,
        solver: str = "auto",
        time_budget: float | None = None,
        memory_limit: float = MEMORY_LIMIT,
        n_jobs: int | None = None,
        backend: str | None = None,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.contamination = contamination
        self.criterion = criterion
        self.nu = nu
        self.scoring = scoring
        self.scale = scale
        self.categorical_features = categorical_features
        self.cv = cv
        self.tol = tol
        self.max_iter = max_iter
        self.solver = solver
        self.time_budget = time_budget
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.backend = backend
        self.random_state = random_state
        self.verbose = verbose

    # -- fitting ------------------------------------------------------------------------------------------
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None, **params: Any
    ) -> Self:
        """Choose a kernel, train the final model, and set the threshold.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        y : array of shape (n_samples,), default=None
            Labels: 1 for normal samples, −1 for outliers, 0 where the label is unknown. None means that there
            are no labels. The model is not trained on known outliers; ten of them are enough to choose a
            better kernel.
        sample_weight : array of shape (n_samples,), default=None
            A weight of 2 is the same as a repeated row.
        groups : array of shape (n_samples,), default=None
            Groups of rows, for the splitter ``cv``. If ``cv`` is "auto" or a number, the folds hold out whole
            groups.
        **params
            Further metadata for the splitter, if metadata routing of scikit-learn is enabled.
        """
        return self._fit(X, y, sample_weight, routed=self._route(sample_weight, groups, params))

    def _scorers(self) -> dict[str, Any]:
        return {}  # labels are scored by what the search knows of them, and nothing else

    def _settings(self, **more: Any) -> FitSettings:
        me = type(self).__name__
        settings = super()._settings(Cs=self.nu, is_one_class=True, **more)
        if not settings.kernels:
            raise ValueError(f"'kernel' of {me} is an empty list. Pass kernels, or 'auto'.")
        for kernel in settings.kernels:
            if is_precomputed(kernel):
                raise ValueError(
                    f"{me} chooses a kernel of samples, but {kernel!r} is a kernel of a matrix. Use "
                    "OneClassSVM for a matrix."
                )
            if not (isinstance(kernel, str) and kernel == "auto"):
                as_kernel(kernel)
        if isinstance(self.cv, int | np.integer):
            check_integer(self.cv, "cv", me, least=2)
        elif not (isinstance(self.cv, str) and self.cv == "auto"):
            check_kind_of_folds(self.cv, "'auto'", me)
        return settings

    def _check(self, X: MatrixLike, y: ArrayLike | None, sample_weight: ArrayLike | None) -> Checked:
        features = read_samples(self, X, ensure_min_samples=2, **self._input())
        n_samples = features.shape[0]
        label = OneClass.read_labels(y, n_samples)
        return Checked(features, label, label + 1, weights_of_samples(sample_weight, n_samples))

    def _family(self) -> OneClass:
        return OneClass(criterion_name=self.criterion, contamination=self.contamination)

    def _scorer_of(self, scoring: Any) -> None:
        """Nothing: labels are scored by what the search knows of them."""

    def _machine(self, kernel: Kernel | str, C: float, epsilon: float | None) -> OneClassSVM:
        return OneClassSVM(
            kernel=kernel, nu=C, tol=self.tol, max_iter=self.max_iter, memory_limit=self.memory_limit
        )

    def _nystroem(
        self, kernel: Kernel, C: float, epsilon: float | None, random_state: int
    ) -> NystroemOneClassSVM:
        return NystroemOneClassSVM(
            kernel,
            nu=C,
            tol=self.tol,
            max_iter=self.max_iter,
            memory_limit=self.memory_limit,
            random_state=random_state,
        )

    def _keep_choice(self, found: Found) -> None:
        """Keep ν, what chose, and what scores of rows mean."""
        trained = found.one_class
        assert trained is not None
        self.nu_, self.criterion_ = found.choice.C, str(found.result.criterion)
        self.threshold_, self.threshold_error_ = trained.threshold.value, trained.threshold.error
        self.contamination_, tail = trained.threshold.share, trained.tail
        self._tail_strangeness, self._tail_share = tail.strangeness, tail.share
        self._tail_scale, self._tail_is_log = tail.scale, tail.is_log
        if trained.sigmoid is not None:
            self._sigmoid = trained.sigmoid
        samples = found.validator.samples
        usual = samples.bound > 0.0  # known outliers have a bound of zero
        self._usual_scores, self._usual_weights = trained.scores[usual], samples.weight[usual]
        self.training_scores_ = found.by_sample(trained.scores)
        self.training_probabilities_ = self._probability(self.training_scores_)

    # -- answers ------------------------------------------------------------------------------------------
    @property
    def offset_(self) -> float:
        """The threshold: decision values are scores minus this."""
        return self.threshold_

    def score_samples(self, X: Any) -> np.ndarray:
        """Return scores of shape (n_samples,); a lower score means a more unusual sample.

        A score is the weighted mean of the kernel with the support vectors; for kernel="auto" it is between 0
        and 1.
        """
        Z = self.machine_samples(X)
        return self.best_estimator_.score_samples(Z)

    def decision_function(self, X: Any) -> np.ndarray:
        """Return scores minus the threshold, of shape (n_samples,); outliers are negative."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """Return 1 for usual samples and −1 for outliers, shape (n_samples,)."""
        return np.where(self.decision_function(X) >= 0.0, 1, -1)

    def fit_predict(
        self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None, **params: Any
    ) -> np.ndarray:
        """Train the model, and label the training samples by models that were not trained on them.

        Parameters
        ----------
        X, y, sample_weight, groups, **params
            As in `fit`.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            1 for usual samples, −1 for outliers. A sample of weight zero is labelled by the final model,
            which was not trained on it.
        """
        more = params if groups is None else {"groups": groups, **params}
        self.fit(X, y, sample_weight, **more)
        scores = self.training_scores_
        if np.isnan(scores).any():
            scores = np.where(np.isnan(scores), self.score_samples(X), scores)
        return np.where(scores >= self.offset_, 1, -1)

    def outlier_probability(self, X: Any) -> np.ndarray:
        """Return the probability that a sample is an outlier, of shape (n_samples,).

        Without labels, the probability follows from Bayes' rule. It uses the share ``contamination_`` of
        outliers, and the share of held-out rows that are at least as unusual as the sample; beyond the most
        unusual row, an exponential tail through the last tenth extends it. It assumes that outliers are at
        least as unusual, and is about one half at the threshold.

        With labels, the probability is a sigmoid of log scores. It is fitted to the held-out scores of
        labelled outliers and of the other rows, weighted to the share ``contamination_``.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        """
        return self._probability(self.score_samples(X))

    def p_values(self, X: Any) -> np.ndarray:
        """Return p-values of new samples, of shape (n_samples,): small for samples unlike the training ones.

        It is the share of training samples, and the new one, that are at least as unusual as the new one, by
        scores from models that were not trained on them (conformal prediction). Of new samples that are drawn
        like the training samples, a share of α at most has a p-value of α or less. The smallest possible one
        is 1/(n + 1) of n training samples. Known outliers do not count; unknown ones make p-values larger.
        A model of ν does not rank usual samples: p-values above 0.6 ν, which is 0.3 by default, are 1.

        To find outliers among many new samples, of which at most a share such as 0.1 are false alarms on
        average, take those with ``scipy.stats.false_discovery_control(p) <= 0.1`` (Benjamini & Hochberg;
        Bates and others, Annals of Statistics 51, 2023). Use it for new samples only: p-values of training
        samples would be their ranks. A cell without a value counts as it does in `predict`: as the median, if
        no training sample had a gap there, so that the sample may look more usual than it is. A warning says
        so.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
        """
        check_is_fitted(self, "cv_results_")
        if not hasattr(self, "_usual_scores"):
            raise AttributeError(
                "This TunedOneClassSVM has no p-values: version 0.1 has trained it. Train it again with this "
                "version."
            )
        found = p_values(self.score_samples(X), self._usual_scores, self._usual_weights)
        return np.where(found > RANKED * self.nu_, 1.0, found)

    def _probability(self, scores: np.ndarray) -> np.ndarray:
        tail = Tail(self._tail_strangeness, self._tail_share, self._tail_scale, self._tail_is_log)
        if hasattr(self, "_sigmoid"):
            return tail.sigmoid(scores, self._sigmoid)
        return tail.probability(scores, self.contamination_)
