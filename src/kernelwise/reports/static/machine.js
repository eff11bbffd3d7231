"use strict";
/* A kernel machine that answers in a page.

   `Machine(data)` reads what kernelwise.reports.askable writes. It mirrors the Encoder of tables (cells to
   features), PlainModel of export (features to answers), Products of explanation (exact Shapley values) and
   estimators/unlike.py. A cell is a number, a text, or days since 1970; null is missing, and "" a word that no
   training row had. */
const Machine = (() => {
  const SMALLEST = 1e-7;  // as in solvers/probability.py
  const FAR = 1, ROUNDED = 1 + 1e-6;  // as in estimators/unlike.py
  const YEAR = 365.2425, DAY = 864e5;
  const LARGEST = 700;  // exp of more is no number
  const GRID = 16, HALVINGS = 30;  // of the search for the smallest change
  const OF_A_WORD = 0.5;  // as what share of a range another word counts

  function bytes(text) {
    const raw = atob(text), found = new Uint8Array(raw.length);
    for (let k = 0; k < raw.length; k++) found[k] = raw.charCodeAt(k);
    return found;
  }

  /* {f8}, {f4}, {i2, unit}: multiples of the unit, or {u1, of}: places in a list of few values. */
  function numbers(packed) {
    if (packed.u1 !== undefined) {
      const of = numbers({f8: packed.of});
      return Float64Array.from(bytes(packed.u1), (place) => of[place]);
    }
    if (packed.i2 !== undefined) return Float64Array.from(new Int16Array(bytes(packed.i2).buffer), (k) => k * packed.unit);
    const buffer = bytes(packed.f8 ?? packed.f4).buffer;
    return packed.f8 !== undefined ? new Float64Array(buffer) : Float64Array.from(new Float32Array(buffer));
  }

  /* A matrix that is packed column by column, as rows. */
  function matrix(packed) {
    const columns = packed.map(numbers), d = columns.length, n = d ? columns[0].length : 0;
    const values = new Float64Array(n * d);
    columns.forEach((column, k) => column.forEach((value, i) => { values[i * d + k] = value; }));
    return {values, n, d, row: (i) => values.subarray(i * d, (i + 1) * d)};
  }

  const sigmoid = (odds) => 1 / (1 + Math.exp(-odds));
  const largest = (values) => values.reduce((best, value, k) => (value > values[best] ? k : best), 0);

  // -- cells to features -------------------------------------------------------------------------------------

  function dateParts(days, first) {
    const whole = Math.floor(days), date = new Date(whole * DAY), year = date.getUTCFullYear();
    const start = new Date(0);
    start.setUTCFullYear(year, 0, 1);  // Date.UTC takes the years 0 to 99 for 1900 to 1999
    const angle = 2 * Math.PI * (whole - start.getTime() / DAY) / YEAR;
    return {
      year: [year], month: [date.getUTCMonth() + 1], weekday: [(((whole + 3) % 7) + 7) % 7 + 1],
      season: [Math.sin(angle), Math.cos(angle)], hour: [(days - whole) * 24], days: [days - first],
    };
  }

  /* Groups of 2 to 4 letters as scikit-learn's char_wb counts them, weighted, of unit length. */
  function letters(text, column) {
    const counts = new Map();
    for (const word of text.toLowerCase().split(/\s+/).filter(Boolean)) {
      const signs = Array.from(` ${word} `);
      for (let n = 2; n <= 4; n++) {
        const last = Math.max(signs.length - n, 0);
        for (let k = 0; k <= last; k++) {
          const place = column.place.get(signs.slice(k, k + n).join(""));
          if (place !== undefined) counts.set(place, (counts.get(place) ?? 0) + 1);
        }
        if (last === 0) break;
      }
    }
    const found = new Float64Array(column.directions.d);
    let square = 0;
    for (const [place, n] of counts) {
      const weight = (1 + Math.log(n)) * column.rarity[place];
      square += weight * weight;
      column.directions.row(place).forEach((value, k) => { found[k] += weight * value; });
    }
    return Array.from(found, (value) => (square ? value / Math.sqrt(square) : 0));
  }

  /* The features of one cell, in the order of column.features. */
  function features(column, cell) {
    if (column.kind === "left out") return [];
    if (column.kind === "number") {
      const value = cell ?? column.fill;
      return column.has_gaps ? [value, cell === null ? 1 : 0] : [value];
    }
    if (column.kind === "date") {
      const parts = dateParts(cell ?? column.fill, column.first);
      const found = column.parts.flatMap((part) => parts[part]);
      return column.has_gaps ? [...found, cell === null ? 1 : 0] : found;
    }
    const n = column.n_plain, other = column.is_pooled ? column.words.length + column.has_gaps : -1;
    const gap = column.has_gaps ? column.words.length : column.place_of.get(column.fill) ?? other;
    const code = cell === null ? gap : column.place_of.get(cell) ?? other;
    const found = Array.from({length: n}, (_, k) => (k === code ? 1 : 0));
    if (column.kind !== "text") return found;
    return [...found, ...letters(cell === null || column.place_of.has(cell) ? "" : cell, column)];
  }

  /* What a row of features says in a column, for people to read; undefined where that is not kept. */
  function cellOf(column, x) {
    if (column.kind === "left out") return undefined;
    const own = column.features.map((k) => x[k]);
    if (column.has_gaps && own[column.kind === "words" || column.kind === "text" ? column.words.length : own.length - 1] > 0.5) {
      return null;
    }
    if (column.kind === "number") {
      return column.is_whole ? Math.round(own[0]) : Number(own[0].toPrecision(6));
    }
    if (column.kind === "date") {
      const place = column.features.length - column.has_gaps - 1;
      if (column.parts.at(-1) !== "days") return undefined;
      const days = column.first + own[place];
      return column.parts.includes("hour") ? Math.round(days * 1440) / 1440 : Math.round(days);
    }
    const place = own.slice(0, column.words.length).findIndex((value) => value > 0.5);
    return place >= 0 ? column.words[place] : column.kind === "text" ? undefined : "";
  }

  // -- kernels -----------------------------------------------------------------------------------------------

  const square = (a, b) => (a - b) * (a - b);
  const STEPS = {sqeuclidean: square, euclidean: square, cityblock: (a, b) => Math.abs(a - b)};
  const product = (a, b) => a * b;

  /* Kernel values of sums; whole arrays, since one call for each number is what takes the time. */
  function finish(term, sums, into) {
    const {form, scale, coef0, degree} = term, n = sums.length;
    if (form === "linear") for (let i = 0; i < n; i++) into[i] = sums[i];
    else if (form === "poly") for (let i = 0; i < n; i++) into[i] = (scale * sums[i] + coef0) ** degree;
    else if (form === "sigmoid") for (let i = 0; i < n; i++) into[i] = Math.tanh(scale * sums[i] + coef0);
    else if (form === "euclidean") for (let i = 0; i < n; i++) into[i] = Math.exp(-scale * Math.sqrt(Math.max(sums[i], 0)));
    else for (let i = 0; i < n; i++) into[i] = Math.exp(-scale * sums[i]);
    return into;
  }

  function readTerm(packed, support) {
    const L = packed.L ? (Array.isArray(packed.L) ? matrix(packed.L) : numbers(packed.L)) : null;
    const term = {
      ...packed, L, beta: packed.beta.map(numbers), step: STEPS[packed.form] ?? product,
      is_matrix: L !== null && L.d !== undefined,
    };
    term.map = (z) => {
      if (L === null) return z;
      if (!term.is_matrix) return z.map((value, k) => value * L[k]);
      const found = new Float64Array(L.d);
      for (let k = 0; k < L.n; k++) for (let j = 0; j < L.d; j++) found[j] += z[k] * L.values[k * L.d + j];
      return found;
    };
    term.rows = mappedRows(term, support);
    return term;
  }

  function mappedRows(term, rows) {
    const first = term.map(rows.row(0)), d = first.length, values = new Float64Array(rows.n * d);
    for (let i = 0; i < rows.n; i++) values.set(term.map(rows.row(i)), i * d);
    return {values, n: rows.n, d, row: (i) => values.subarray(i * d, (i + 1) * d)};
  }

  /* Distances or products of a mapped row and the rows of a matrix, before `finish`. */
  function sums(term, z, rows) {
    const {values, n, d} = rows, step = term.step, found = new Float64Array(n);
    for (let i = 0, at = 0; i < n; i++) {
      let sum = 0;
      for (let k = 0; k < d; k++, at++) sum += step(z[k], values[at]);
      found[i] = sum;
    }
    return found;
  }

  /* Sums after one feature has gone from one value to another. */
  function move(sums, values, place, width, before, after, step) {
    const n = sums.length;
    if (step === square) {
      for (let i = 0, at = place; i < n; i++, at += width) sums[i] += (after - before) * (after + before - 2 * values[at]);
    } else {
      for (let i = 0, at = place; i < n; i++, at += width) sums[i] += step(after, values[at]) - step(before, values[at]);
    }
  }

  // -- probabilities and labels ------------------------------------------------------------------------------

  /* As `couple` of solvers/probability.py: Q + 11' is positive definite, and needs no pivots. */
  function couple(odds, n) {
    const A = Array.from({length: n}, () => new Float64Array(n)), p = new Float64Array(n).fill(1);
    for (let i = 0; i < n; i++) A[i][i] = 1;
    for (let i = 0, m = 0; i < n; i++) {
      for (let j = i + 1; j < n; j++, m++) {
        const r = Math.min(Math.max(sigmoid(odds[m]), SMALLEST), 1 - SMALLEST);
        A[i][i] += (1 - r) * (1 - r);
        A[j][j] += r * r;
        A[i][j] = A[j][i] = 1 - r * (1 - r);
      }
    }
    for (let i = 0; i < n; i++) {
      for (let j = i + 1; j < n; j++) {
        const share = A[j][i] / A[i][i];
        for (let k = i; k < n; k++) A[j][k] -= share * A[i][k];
        p[j] -= share * p[i];
      }
    }
    for (let i = n - 1; i >= 0; i--) {
      for (let k = i + 1; k < n; k++) p[i] -= A[i][k] * p[k];
      p[i] /= A[i][i];
    }
    return normed(Array.from(p, (value) => Math.max(value, 0)));
  }

  function normed(values) {
    const sum = values.reduce((a, b) => a + b, 0);
    return values.map((value) => value / sum);
  }

  function probabilities(data, f) {
    const odds = f.map((value, m) => -(data.sigmoids[m][0] * value + data.sigmoids[m][1]));
    const n = data.classes.length;
    if (n === 2) return [1 - sigmoid(odds[0]), sigmoid(odds[0])];
    if (data.machines !== "ovr") return couple(odds, n);
    const logs = odds.map((one) => Math.min(one, 0) - Math.log1p(Math.exp(-Math.abs(one))));
    return normed(logs.map((one) => Math.exp(one - Math.max(...logs))));
  }

  function place(data, f, p) {
    const n = data.classes.length, votes = new Array(n).fill(0), totals = new Array(n).fill(0);
    switch (data.rule) {
      case "probability": return largest(p);
      case "costs": return largest(votes.map((_, j) => -p.reduce((sum, one, i) => sum + one * data.costs[i][j], 0)));
      case "sign": return f[0] >= 0 ? 1 : 0;
      case "largest": return largest(f);
    }
    const is_ranked = data.rule === "ranked votes";
    for (let i = 0, m = 0; i < n; i++) {
      for (let j = i + 1; j < n; j++, m++) {
        votes[(is_ranked ? f[m] >= 0 : f[m] > 0) ? i : j] += 1;
        totals[i] += f[m];
        totals[j] -= f[m];
      }
    }
    return largest(is_ranked ? votes.map((v, i) => v + totals[i] / (3 * (Math.abs(totals[i]) + 1))) : votes);
  }

  /* The probability of an unusual row: Tail of search/final/one_class.py. */
  function outlierProbability(tail, score) {
    const strange = tail.is_log ? -Math.log(Math.max(score, 0)) : -score;
    if (tail.sigmoid) return Number.isFinite(strange) ? sigmoid(-(tail.sigmoid[0] * strange + tail.sigmoid[1])) : 1;
    const x = tail.strangeness, y = tail.of_rows, last = x.length - 1;
    let beyond = y[last] * Math.exp(-(strange - x[last]) / tail.scale);
    if (strange < x[0]) beyond = 1;
    else if (strange <= x[last]) {
      let k = 0;
      while (k < last && x[k + 1] <= strange) k++;
      beyond = k === last ? y[last] : y[k] + (y[k + 1] - y[k]) * (strange - x[k]) / (x[k + 1] - x[k]);
    }
    return tail.share / (tail.share + beyond);
  }

  // -- the machine -------------------------------------------------------------------------------------------

  return (data) => {
    const shift = numbers(data.shift), factor = numbers(data.factor), d = shift.length;
    const support = matrix(data.support), near = data.near ? matrix(data.near) : support;
    const terms = data.terms.map((term) => readTerm(term, support));
    const columns = data.columns.map((column) => ({...column}));
    for (const column of columns) {
      if (column.words) column.place_of = new Map(column.words.map((word, k) => [word, k]));
      if (column.kind === "text") {
        column.place = new Map(column.groups.map((group, k) => [group, k]));
        column.rarity = numbers(column.rarity);
        column.directions = matrix(column.directions);
      }
    }

    function encode(cells) {
      const x = new Float64Array(d);
      columns.forEach((column, c) => {
        features(column, cells[c]).forEach((value, k) => { x[column.features[k]] = value; });
      });
      return x;
    }

    const scaled = (x) => x.map((value, k) => (value - shift[k]) * factor[k]);

    /* A row with all that a change of one column needs to begin from. */
    function begin(cells) {
      const z = scaled(encode(cells));
      const parts = terms.map((term) => {
        const mapped = term.map(z);
        return {mapped, sums: sums(term, mapped, term.rows)};
      });
      return {cells, z, parts};
    }

    function valuesOf(all) {
      const f = data.intercept.slice();
      terms.forEach((term, t) => {
        const n = term.rows.n, kernel = finish(term, all[t], new Float64Array(n));
        for (let m = 0; m < f.length; m++) {
          const beta = term.beta[m];
          let sum = 0;
          for (let i = 0; i < n; i++) sum += beta[i] * kernel[i];
          f[m] += sum;
        }
      });
      return f;
    }

    /* Machine values of a row of which one column has another cell. */
    function valuesWith(row, c, cell) {
      const column = columns[c], own = features(column, cell), places = column.features;
      const to = own.map((value, k) => (value - shift[places[k]]) * factor[places[k]]);
      return valuesOf(terms.map((term, t) => {
        const part = row.parts[t];
        if (term.is_matrix) {
          const z = row.z.slice();
          places.forEach((place, k) => { z[place] = to[k]; });
          return sums(term, term.map(z), term.rows);
        }
        const {values, d: width} = term.rows, found = part.sums.slice();
        places.forEach((place, k) => {
          const before = part.mapped[place], after = term.L === null ? to[k] : to[k] * term.L[place];
          if (before === after) return;
          move(found, values, place, width, before, after, term.step);
        });
        return found;
      }));
    }

    /* A value in the units of the target, which is not negative if the model is one of logarithms. */
    function inUnits(f) {
      return data.log_offset === null ? f : Math.max(Math.exp(Math.min(f, LARGEST)) - data.log_offset, 0);
    }

    function judge(f) {
      if (data.task === "numbers") {
        const predicted = Array.from(f, inUnits).sort((a, b) => a - b);  // several quantiles, in order
        return {values: f, predicted, value: predicted[data.middle], interval: null};
      }
      if (data.task === "one class") {
        const probability = outlierProbability(data.tail, f[0] + data.tail.threshold);
        return {values: f, place: f[0] >= 0 ? 1 : 0, probabilities: [probability, 1 - probability]};
      }
      const p = data.sigmoids ? probabilities(data, f) : null;
      return {values: f, place: place(data, f, p), probabilities: p};
    }

    const spread = data.interval && {
      ...data.interval,
      coefficients: numbers(data.interval.coefficients),
      predictions: numbers(data.interval.predictions),
      centres: data.interval.centres && matrix(data.interval.centres),
    };

    /* The ends of an interval around a prediction f of a scaled row z: Spread of conformal.py. */
    function intervalOf(z, f) {
      if (data.log_offset !== null) f = Math.max(f, Math.log(data.log_offset));
      const v = (f - spread.mean) / spread.deviation;
      let logarithm = spread.level;
      spread.coefficients.forEach((coefficient, i) => {
        let kernel = Math.exp(-spread.of_predictions * (v - spread.predictions[i]) ** 2);
        if (spread.centres) {
          const centre = spread.centres.row(i);
          let square = 0;
          for (let k = 0; k < d; k++) square += (z[k] - centre[k]) ** 2;
          for (const scale of spread.scales) kernel += Math.exp(-scale * square);
        }
        logarithm += coefficient * kernel;
      });
      const reach = spread.deviation * spread.limit * Math.exp(logarithm);
      return [f - reach, f + reach].map(inUnits);
    }

    function answer(row) {
      const found = judge(valuesOf(row.parts.map((part) => part.sums)));
      return spread ? {...found, interval: intervalOf(row.z, found.values[0])} : found;
    }

    // -- exact Shapley values --------------------------------------------------------------------------------

    const bars = data.bars && {
      ...data.bars, rows: matrix(data.bars.background), nodes: numbers(data.bars.nodes), weights: numbers(data.bars.weights),
    };
    const group = bars && new Int32Array(d);
    if (bars) columns.forEach((column, c) => column.features.forEach((k) => { group[k] = c; }));

    /* Factors of a kernel that is a product over columns, (n, n_columns), of one mapped row. */
    function factors(term, z) {
      const {values, n, d: width} = term.rows, found = new Float64Array(n * columns.length), step = term.step;
      for (let i = 0, at = 0; i < n; i++) {
        const own = i * columns.length;
        for (let k = 0; k < width; k++, at++) found[own + group[k]] += step(z[k], values[at]);
      }
      for (let k = 0; k < found.length; k++) found[k] = found[k] ? Math.exp(-term.scale * found[k]) : 1;
      return found;
    }

    const absent = bars && terms.map(() => null);  // factors of background rows, made when they are first asked for
    let base = null;

    function baseOf(output) {
      if (base === null) {
        base = new Array(data.intercept.length).fill(0);
        for (let b = 0; b < bars.rows.n; b++) {
          const z = bars.rows.row(b);
          const f = valuesOf(terms.map((term) => sums(term, term.map(z), term.rows)));
          f.forEach((value, m) => { base[m] += value / bars.rows.n; });
        }
      }
      return bars.offset[output] + base.reduce((sum, value, m) => sum + value * bars.outputs[m][output], 0);
    }

    /* How much each column adds to an output, beyond that of the background rows; null without such values. */
    function shapley(row, output) {
      if (!bars) return null;
      const n_columns = columns.length, found = new Float64Array(n_columns), n_absent = bars.rows.n;
      const [before, mixed, from, by, sum] = Array.from({length: 5}, () => new Float64Array(n_columns));
      const differ = new Int32Array(n_columns), {nodes, weights} = bars;
      terms.forEach((term, t) => {
        const n_support = term.rows.n, beta = new Float64Array(n_support);
        term.beta.forEach((own, m) => own.forEach((value, i) => { beta[i] += value * bars.outputs[m][output]; }));
        if (term.form === "linear") {
          for (let k = 0; k < d; k++) {
            let mean = 0, weight = 0;
            for (let b = 0; b < n_absent; b++) mean += bars.rows.values[b * d + k] / n_absent;
            for (let i = 0; i < n_support; i++) weight += beta[i] * term.rows.values[i * d + k];
            found[group[k]] += weight * (row.z[k] - mean);
          }
          return;
        }
        absent[t] ??= Array.from({length: n_absent}, (_, b) => factors(term, term.map(bars.rows.row(b))));
        const U = factors(term, row.parts[t].mapped);
        for (let i = 0; i < n_support; i++) {
          const own = i * n_columns, share = beta[i] / n_absent;
          if (share === 0) continue;
          for (const V of absent[t]) {
            let same = share, n = 0;  // columns of equal factors add nothing
            for (let c = 0; c < n_columns; c++) {
              const u = U[own + c], v = V[own + c];
              if (u === v) { same *= u; continue; }
              differ[n] = c;
              from[n] = v;
              by[n++] = u - v;
            }
            if (same === 0) continue;
            for (let q = 0; q < nodes.length; q++) {
              const node = nodes[q];
              let all = 1;
              for (let k = 0; k < n; k++) {
                before[k] = all;
                all *= mixed[k] = from[k] + node * by[k];
              }
              let behind = same * weights[q];
              for (let k = n - 1; k >= 0; k--) {
                sum[k] += before[k] * behind;
                behind *= mixed[k];
              }
            }
            for (let k = 0; k < n; k++) {
              found[differ[k]] += by[k] * sum[k];
              sum[k] = 0;
            }
          }
        }
      });
      return {values: Array.from(found), base: baseOf(output)};
    }

    // -- rows unlike the training rows, and the nearest ones -------------------------------------------------

    const nearTerms = terms.map((term) => (near === support ? term.rows : mappedRows(term, near)));
    const others = near.n ? ownValues((term, t, i) => nearTerms[t].row(i), near.n) : null;

    function ownValues(mapped, n) {
      return Float64Array.from({length: n}, (_, i) => terms.reduce((sum, term, t) => {
        const row = mapped(term, t, i);
        let own = 0;
        for (const value of row) own += term.step(value, value);
        return sum + term.weight * finish(term, [own], [0])[0];
      }, 0));
    }

    /* Squared distances in the space of the kernel. */
    function squares(row) {
      const own = ownValues((term, t) => row.parts[t].mapped, 1)[0], found = others.map((other) => own + other);
      terms.forEach((term, t) => {
        const all = near === support ? row.parts[t].sums : sums(term, row.parts[t].mapped, nearTerms[t]);
        finish(term, all, new Float64Array(all.length)).forEach((k, i) => { found[i] -= 2 * term.weight * k; });
      });
      return found.map((value) => Math.max(value, 0));
    }

    /* Columns beyond the range of the training rows, and whether the row is unlike these. */
    function unlike(row) {
      const beyond = [];
      let is_far = false;
      columns.forEach((column, c) => column.features.forEach((k) => {
        const low = data.range[0][k], high = data.range[1][k], x = row.z[k] / factor[k] + shift[k];
        const excess = Math.max(x - high, low - x);
        const width = high > low ? high - low : high === 0 ? Infinity : Math.abs(high);
        if (excess <= 1e-9 * (Math.abs(low) + Math.abs(high))) return;
        if (!beyond.includes(c)) beyond.push(c);
        is_far ||= excess / width > FAR;
      }));
      if (data.reach === null) return {beyond, is_far, is_remote: false};
      const distance = Math.sqrt(squares(row).reduce((a, b) => Math.min(a, b), Infinity));
      return {beyond, is_far: is_far && distance >= data.reach / ROUNDED, is_remote: distance > data.reach * ROUNDED};
    }

    function nearest(row, n) {
      if (!others || !data.has_rows) return [];
      const distance = squares(row), order = Array.from(distance.keys());
      order.sort((a, b) => distance[a] - distance[b] || a - b);
      return order.slice(0, n).map((i) => {
        const x = near.row(i).map((value, k) => value / factor[k] + shift[k]);
        const parts = terms.map((term, t) => sums(term, nearTerms[t].row(i), term.rows));
        return {cells: columns.map((column) => cellOf(column, x)), answer: judge(valuesOf(parts))};
      });
    }

    // -- what would change the answer ------------------------------------------------------------------------

    const round = (column, value, up) => {
      if (column.is_whole) return up ? Math.ceil(value - 1e-9) : Math.floor(value + 1e-9);
      const unit = 10 ** Math.floor(Math.log10((column.high - column.low) / 1000));
      return Number(((up ? Math.ceil(value / unit) : Math.floor(value / unit)) * unit).toPrecision(12));
    };

    function nearestFlip(row, c, now, labelAt, start) {
      const column = columns[c], low = Math.min(column.low, start), high = Math.max(column.high, start);
      const width = column.high - column.low;
      let best = null;
      for (const end of [low, high]) {
        let inside = start;
        for (let g = 1; g <= GRID; g++) {
          let outside = start + (end - start) * g / GRID;
          if (outside === inside || (best && Math.abs(inside - start) >= best.change)) break;
          if (labelAt(outside) === now) { inside = outside; continue; }
          for (let h = 0; h < HALVINGS && Math.abs(outside - inside) > 1e-4 * width; h++) {
            const middle = (inside + outside) / 2;
            if (labelAt(middle) === now) inside = middle; else outside = middle;
          }
          const shown = round(column, outside, end === high), cell = labelAt(shown) === now ? outside : shown;
          const change = Math.abs(cell - start);
          if (!best || change < best.change) best = {cell, change, size: change / width, place: labelAt(cell)};
          break;
        }
      }
      return best;
    }

    /* For each column the smallest change of it alone that changes the answer, the smallest first. */
    function changes(row, now) {
      if (data.task === "numbers") return [];
      const found = [];
      columns.forEach((column, c) => {
        const labelAt = (cell) => judge(valuesWith(row, c, cell)).place, from = row.cells[c];
        if (column.words) {
          for (const cell of column.words) {
            const to = cell === from ? now : labelAt(cell);
            if (to !== now) { found.push({column: c, cell, place: to, size: OF_A_WORD}); break; }
          }
        } else if (column.low < column.high) {
          const best = nearestFlip(row, c, now, labelAt, from ?? column.fill);
          if (best) found.push({column: c, ...best});
        }
      });
      return found.sort((a, b) => a.size - b.size || a.column - b.column);
    }

    return {data, columns, begin, answer, shapley, unlike, nearest, changes};
  };
})();
