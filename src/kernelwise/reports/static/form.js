/* The form of the page that answers: fields from columns, and what `Machine` says of them. */
(() => {
  const at = (id) => document.getElementById(id);
  if (!at("try-data")) return;
  const data = JSON.parse(at("try-data").textContent), machine = Machine(data), words = data.said;
  const columns = machine.columns, shown = columns.map((_, c) => c).filter((c) => columns[c].kind !== "left out");
  const MOST_FIELDS = 16, MOST_BARS = 8, MOST_CHANGES = 5, N_NEAR = 3, MOST_LETTERS = 40;
  const DAY = 864e5, fields = [];
  let waiting = 0;

  const say = (name, values = {}) => words[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
  const short = (text) => (Array.from(text).length > MOST_LETTERS ? `${Array.from(text).slice(0, MOST_LETTERS - 1).join("")}…` : text);

  function make(tag, attributes = {}, ...inside) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...inside);
    return element;
  }

  /* A name from the data: shown short, whole as its title, in its own direction. */
  function named(tag, text, attributes = {}) {
    const element = make(tag, {dir: "auto", ...attributes}, short(text));
    if (short(text) !== text) element.title = text.slice(0, 1000);
    return element;
  }

  // -- numbers and dates as people write them ------------------------------------------------------------------

  function number(value, digits = 4) {
    const size = Math.abs(value);
    const text = size >= 10 ** digits && size < 1e6 ? value.toFixed(0) : String(Number(value.toPrecision(digits)));
    return text.replace("-", "−");
  }

  /* A number of a column, to a thousandth of its range. */
  function rounded(column, value) {
    if (!(column.low < column.high)) return number(value, 6);
    const digits = Math.ceil(-Math.log10((column.high - column.low) / 1000));
    if (column.is_whole || digits <= 0) return number(value, 12);
    return digits > 12 ? number(value) : String(Number(value.toFixed(digits))).replace("-", "−");
  }

  function percent(p) {
    const value = 100 * p;
    return say("percent", {value: value > 0 && value < 1 ? "< 1" : value < 100 && value > 99 ? "> 99" : value.toFixed(0)});
  }

  function written(column, days) {
    if (column.unit === "time") return new Date(Math.round(days * 1440) * 6e4).toISOString().slice(11, 16);
    const text = new Date(Math.round(days * 86400) * 1000).toISOString();
    return text.slice(0, column.unit === "day" ? 10 : 16);
  }

  function cellText(column, cell) {
    if (cell === undefined) return words.unknown;
    if (cell === null) return words.missing;
    if (column.kind === "number") return rounded(column, cell);
    if (column.kind === "date") return written(column, cell).replace("T", " ");
    return cell === "" ? (column.kind === "text" ? words.no_text : words.other) : short(cell);
  }

  // -- fields --------------------------------------------------------------------------------------------------

  function numberField(column, id) {
    const box = make("input", {id, type: "number", step: "any", "aria-describedby": `${id}-hint`});
    const inside = [box];
    let slider = null;
    if (column.low < column.high) {
      const step = column.is_whole ? 1 : 10 ** Math.floor(Math.log10((column.high - column.low) / 100));
      slider = make("input", {type: "range", "aria-label": say("slider", {name: column.name}), min: column.low, max: column.high, step: column.is_whole ? step : "any"});
      slider.addEventListener("input", () => {
        box.value = String(Number((Math.round(slider.value / step) * step).toPrecision(12)));
      });
      box.addEventListener("input", () => { if (box.value !== "") slider.value = box.value; });
      inside.push(slider);
    }
    const put = (cell) => {
      box.value = cell === null ? "" : String(Number(cell.toPrecision(12)));
      if (slider) slider.value = cell ?? column.fill;
    };
    return {inside, put, read: () => (box.value === "" || !Number.isFinite(box.valueAsNumber) ? null : box.valueAsNumber)};
  }

  function wordField(column, id) {
    const select = make("select", {id});
    column.words.forEach((word, k) => select.append(named("option", word, {value: k})));
    if (column.has_gaps) select.append(make("option", {value: "gap"}, words.missing));
    select.append(make("option", {value: "other"}, words.other));
    const put = (cell) => {
      const place = column.place_of.get(cell);
      select.value = place !== undefined ? place : cell === null && column.has_gaps ? "gap" : "other";
    };
    const read = () => (select.value === "gap" ? null : select.value === "other" ? "" : column.words[select.value]);
    return {inside: [select], put, read};
  }

  function dateField(column, id) {
    const type = {day: "date", moment: "datetime-local", time: "time"}[column.unit];
    const box = make("input", {id, type, "aria-describedby": `${id}-hint`});
    const read = () => {
      if (box.value === "") return null;
      const text = column.unit === "day" ? `${box.value}T00:00Z` : column.unit === "time" ? `1970-01-01T${box.value}Z` : `${box.value}Z`;
      const found = Date.parse(text) / DAY;
      return Number.isFinite(found) ? found : null;
    };
    return {inside: [box], put: (cell) => { box.value = cell === null ? "" : written(column, cell); }, read};
  }

  function textField(column, id) {
    const box = make("textarea", {id, rows: 2});
    return {inside: [box], put: (cell) => { box.value = cell ?? ""; }, read: () => (box.value.trim() === "" ? (column.has_gaps ? null : "") : box.value.trim())};
  }

  const KINDS = {number: numberField, words: wordField, date: dateField, text: textField};

  function field(c) {
    const column = columns[c], id = `try-${c}`, made = KINDS[column.kind](column, id);
    const hint = column.words ? null : make("small", {id: `${id}-hint`, class: "hint"});
    const box = make("div", {class: "field"}, named("label", column.name, {for: id}), ...made.inside, ...(hint ? [hint] : []));
    fields[c] = {...made, hint, value: null};
    fields[c].set = (cell) => { made.put(cell); fields[c].kept = [cell, made.read()]; };
    /* What was put in stays as exact as it was until it is changed. */
    fields[c].cell = () => {
      const now = made.read(), [cell, then] = fields[c].kept;
      return now === then ? cell : now;
    };
    return box;
  }

  function hintText(column, cell, is_beyond) {
    const [low, high] = [column.low, column.high].map((value) => cellText(column, value));
    if (cell === null) return column.has_gaps ? words.gap : say("filled", {value: cellText(column, column.fill)});
    return column.low < column.high ? say(is_beyond ? "outside" : "range", {low, high}) : "";
  }

  // -- answers -------------------------------------------------------------------------------------------------

  const labels = data.task === "one class" ? [words.unusual, words.usual] : data.classes;

  function headline(answer) {
    if (data.task === "numbers") {
      const [low, high] = (answer.interval ?? []).map((value) => number(value));
      const said = data.quantiles.length
        ? data.quantiles.map((q, k) => say("says_quantile", {value: number(answer.sorted[k]), q})).join(", ")
        : say(answer.interval ? "says_interval" : "says_number", {value: number(answer.value), low, high});
      return data.target === null ? said : say("of_target", {target: short(data.target), said});
    }
    const label = short(labels[answer.place]);
    if (!answer.probabilities) return say("says", {label});
    return say("says_with", {label, percent: percent(answer.probabilities[answer.place])});
  }

  function showProbabilities(answer) {
    const p = data.task === "numbers" ? null : answer.probabilities;
    const order = p ? Array.from(p.keys()).sort((a, b) => p[b] - p[a]).slice(0, MOST_BARS) : [];
    at("try-probabilities").replaceChildren(...order.flatMap((k) => {
      const bar = make("span");
      bar.style.width = `${100 * p[k]}%`;
      return [named("span", labels[k], {class: "name"}), make("span", {class: "share"}, bar), make("span", {class: "n"}, percent(p[k]))];
    }));
  }

  function showBars(row, answer) {
    const box = at("try-bars"), note = at("try-bars-note");
    const is_pair = data.task === "classes" && labels.length === 2;
    const found = machine.shapley(row, data.task === "numbers" ? data.middle : labels.length > 2 ? answer.place : 0);
    if (!found) {
      box.replaceChildren();
      note.textContent = words.no_bars;
      return;
    }
    const sign = is_pair && answer.place === 0 ? -1 : 1;
    const order = shown.slice().sort((a, b) => Math.abs(found.values[b]) - Math.abs(found.values[a]));
    const rest = order.length > MOST_BARS + 1 ? order.splice(MOST_BARS) : [];
    const bars = order.map((c) => [`${short(columns[c].name)} = ${cellText(columns[c], row.cells[c])}`, sign * found.values[c]]);
    if (rest.length) bars.push([say("others", {n: rest.length}), sign * rest.reduce((sum, c) => sum + found.values[c], 0)]);
    const most = Math.max(...bars.map(([, value]) => Math.abs(value))) || 1;
    box.replaceChildren(...bars.flatMap(([name, value]) => {
      const bar = make("span", {class: value >= 0 ? "up" : "down"}), width = 50 * Math.abs(value) / most;
      bar.style.width = `${width}%`;
      bar.style.left = `${value >= 0 ? 50 : 50 - width}%`;
      const text = `${value > 0 ? "+" : ""}${number(value, 3)}`;
      return [named("span", name, {class: "name"}), make("span", {class: "signed"}, bar), make("span", {class: "n"}, text)];
    }));
    const start = number(sign * found.base, 3);
    const end = number(sign * (found.base + found.values.reduce((a, b) => a + b, 0)), 3);
    const unit = data.task !== "numbers" ? (data.bars.is_odds ? words.odds : words.decision) : data.log_offset !== null ? words.logarithm
      : data.quantiles.length ? say("quantile", {q: data.quantiles[data.middle]}) : words.prediction;
    const name = {numbers: "bars_numbers", "one class": "bars_usual", classes: "bars"}[data.task];
    note.textContent = say(name, {n: data.bars.n_background, start, end, unit, label: data.task === "classes" ? short(labels[answer.place]) : ""});
  }

  function showChanges(row, answer) {
    if (data.task === "numbers") return;
    const found = machine.changes(row, answer.place).slice(0, MOST_CHANGES);
    const lines = found.map((change) => {
      const column = columns[change.column], from = cellText(column, row.cells[change.column]);
      const line = named("li", "");
      line.textContent = say("flip", {name: short(column.name), from, to: cellText(column, change.cell), label: short(labels[change.place])});
      return line;
    });
    at("try-changes").replaceChildren(...lines);
    at("try-changes-note").textContent = lines.length ? words.only_one : words.no_flip;
  }

  function showNear(row) {
    const near = machine.nearest(row, N_NEAR), table = at("try-near");
    if (!near.length) return;
    const head = make("tr", {}, make("th", {scope: "col"}, words.column), make("th", {scope: "col"}, words.your_row));
    near.forEach((one) => {
      const text = data.task === "numbers" ? say("use_number", {value: number(one.answer.value)}) : say("use", {label: short(labels[one.answer.place])});
      const button = make("button", {type: "button"}, text);
      button.addEventListener("click", () => fill(one.cells));
      head.append(make("th", {scope: "col"}, button));
    });
    const lines = shown.map((c) => {
      const own = cellText(columns[c], row.cells[c]), line = make("tr", {}, named("th", columns[c].name, {scope: "row"}));
      line.append(named("td", own), ...near.map((one) => {
        const text = cellText(columns[c], one.cells[c]);
        return named("td", text, {class: text === own ? "same" : "other"});
      }));
      return line;
    });
    table.replaceChildren(make("thead", {}, head), make("tbody", {}, ...lines));
  }

  function showUnlike(row) {
    const {beyond, is_far, is_remote} = machine.unlike(row), box = at("try-unlike");
    const is_told = data.task !== "one class" && (is_far || is_remote);
    const names = beyond.map((c) => short(columns[c].name)).join(", ");
    box.textContent = !is_told ? "" : is_far ? say("unlike_column", {names}) : words.unlike;
    box.hidden = !is_told;
    shown.forEach((c) => {
      if (!fields[c].hint) return;
      const is_beyond = beyond.includes(c);
      fields[c].hint.textContent = hintText(columns[c], row.cells[c], is_beyond);
      fields[c].hint.classList.toggle("out", is_beyond);
    });
  }

  /* The answer at once; what takes longer when the browser has drawn it, and nobody types on. */
  function update() {
    const row = machine.begin(columns.map((_, c) => (fields[c] ? fields[c].cell() : null))), answer = machine.answer(row);
    const text = headline(answer);
    if (at("try-said").textContent !== text) at("try-said").textContent = text;
    showProbabilities(answer);
    showUnlike(row);
    delete at("try").dataset.shown;
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      showBars(row, answer);
      showChanges(row, answer);
      showNear(row);
      at("try").dataset.shown = text;
    });
  }

  function fill(cells) {
    shown.forEach((c) => { if (cells[c] !== undefined) fields[c].set(cells[c]); });
    update();
  }

  const boxes = shown.map(field), form = at("try-fields");
  form.append(...boxes.slice(0, MOST_FIELDS));
  if (boxes.length > MOST_FIELDS) {
    const rest = boxes.slice(MOST_FIELDS);
    form.append(make("details", {}, make("summary", {}, data.more.replace("{n}", rest.length)), make("div", {class: "fields"}, ...rest)));
  }
  form.addEventListener("input", update);
  at("try-form").addEventListener("submit", (event) => event.preventDefault());
  const typical = columns.map((column) => column.typical);
  at("try-typical").addEventListener("click", () => fill(typical));
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-row]");
    if (!button) return;
    fill(data.rows[button.dataset.row]);
    at("try").scrollIntoView();
    at("try-said").focus();
  });
  fill(typical);
})();
