// The page of the app. It shows what the command line says; texts from files are set as text, never as HTML.
"use strict";

const by = (id) => document.getElementById(id);
const words = document.body.dataset;
const SECOND = 1000;
const FIRST = 20; // predictions that the server sends to be shown
let columns = [];
let table; // its number at the server, which another window may have given another table

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// What the server answers to a request; an error has its sentence.
async function ask(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error(words.gone);
  }
  const told = await response.json().catch(() => ({ error: words.gone }));
  if (!response.ok) throw new Error(told.error || words.gone);
  return told;
}

function send(path, file) {
  return ask(`${path}?name=${encodeURIComponent(file.name)}`, { method: "PUT", body: file });
}

// A field that takes a file by choice and by drop.
function takesFile(field, place, take) {
  // So that the same file, corrected, can be chosen again.
  field.addEventListener("click", () => { field.value = ""; });
  field.addEventListener("change", () => field.files.length && take(field.files[0]));
  for (const kind of ["dragenter", "dragover"]) {
    place.addEventListener(kind, (event) => {
      event.preventDefault();
      place.classList.add("over");
    });
  }
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("over");
    if (field.disabled || !event.dataTransfer.files.length) return;
    field.files = event.dataTransfer.files; // so that its name is shown
    take(field.files[0]);
  });
}

// -- the table ---------------------------------------------------------------------------------------------

async function takeTable(file) {
  by("table-error").textContent = "";
  by("choose").hidden = by("work").hidden = by("new").hidden = true;
  by("about").textContent = words.reading;
  try {
    const told = await send("table", file);
    if (told.model) {
      clearRows();
      by("about").textContent = told.model;
      by("new").hidden = false;
      by("rows").focus();
      return;
    }
    columns = told.columns;
    table = told.table;
    by("about").textContent = [`${told.name}: ${told.rows}.`, ...told.notes].join("\n");
    showColumns(told.target);
    by("choose").hidden = false;
    by("target").focus();
  } catch (error) {
    by("about").textContent = "";
    by("table-error").textContent = error.message;
  }
}

function showColumns(target) {
  const body = by("columns").tBodies[0];
  body.replaceChildren();
  for (const id of ["target", "group", "time"]) by(id).replaceChildren();
  by("group").append(element("option", words.none, { value: "" }));
  by("time").append(element("option", words.none, { value: "" }));
  columns.forEach((column, place) => {
    for (const id of ["target", "group", "time"]) {
      by(id).append(element("option", column.name, { value: place }));
    }
    if (column.name === target) by("target").value = place;
    const row = element("tr");
    const box = element("input", undefined, { type: "checkbox", "aria-label": column.name, "data-place": place });
    box.checked = !column.left_out && !column.is_judged;
    box.indeterminate = column.is_judged;
    const used = element("td");
    used.append(box);
    const holds = element("td", column.kind);
    if (column.note) holds.append(element("small", column.note));
    const name = element("th", column.name, { scope: "row" });
    // Each value apart: one with a mark of direction must not turn its neighbours around.
    const shown = element("td");
    shown.append(...column.shown.flatMap((text, k) => [k ? " · " : "", element("bdi", text)]));
    row.append(used, name, holds, shown, element("td", column.missing || ""));
    body.append(row);
  });
  by("columns").parentElement.hidden = by("target").parentElement.hidden = !columns.length;
  showRoles();
}

// The target is no feature, nor are groups and times: their boxes say nothing.
function showRoles() {
  const roles = ["target", "group", "time"].map((id) => by(id).value);
  for (const box of by("columns").querySelectorAll("input")) box.disabled = roles.includes(box.dataset.place);
}

function chosen() {
  const options = { ignore: [], use: [] };
  if (columns.length) options.target = Number(by("target").value);
  for (const id of ["group", "time"]) if (by(id).value !== "") options[id] = Number(by(id).value);
  for (const id of ["task", "effort"]) if (by(id).value) options[id] = by(id).value;
  for (const box of by("columns").querySelectorAll("input:not(:disabled)")) {
    const place = Number(box.dataset.place);
    if (box.indeterminate) continue; // neither: held-out rows decide
    if (!box.checked) options.ignore.push(place);
    else if (columns[place].left_out || columns[place].is_judged) options.use.push(place);
  }
  return options;
}

// -- the model ---------------------------------------------------------------------------------------------

async function start(event) {
  event.preventDefault();
  by("work").hidden = false;
  by("new").hidden = true;
  clearAnswer();
  setRunning(true);
  try {
    const body = JSON.stringify(chosen());
    await ask(`tune?table=${table}`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
    follow();
  } catch (error) {
    setRunning(false);
    by("run-error").textContent = error.message;
  }
}

function clearAnswer() {
  for (const id of ["answer", "frame"]) by(id).replaceChildren();
  for (const id of ["state", "last", "run-error", "said"]) by(id).textContent = "";
  by("take").hidden = by("hint").hidden = by("log").hidden = true;
  clearRows();
  by("rows").value = "";
}

function setRunning(isRunning) {
  by("start").disabled = by("table").disabled = isRunning;
  by("stop").hidden = !isRunning;
  by("state").textContent = isRunning ? words.running : "";
  by("work").setAttribute("aria-busy", String(isRunning));
}

async function follow() {
  try {
    const run = await ask("run");
    by("last").textContent = run.state === "running" ? (run.said.at(-1) || "").trim() : "";
    if (run.state === "running") {
      setTimeout(follow, SECOND / 2);
      return;
    }
    setRunning(false);
    show(run);
  } catch (error) {
    setRunning(false);
    by("run-error").textContent = error.message;
  }
}

function show(run) {
  by("said").textContent = [...run.said, "", run.printed].join("\n").trim();
  by("log").hidden = !by("said").textContent;
  if (run.state === "stopped") by("state").textContent = words.stopped;
  if (run.state === "failed") by("run-error").textContent = words.failed;
  if (run.state === "refused") {
    const first = run.said.findIndex((line) => line.startsWith("kernelwise: "));
    by("run-error").textContent = run.said.slice(first).join(" ").replace("kernelwise: ", "");
  }
  if (run.state !== "done") return;
  showAnswer(run.printed);
  by("hint").hidden = !by("answer").textContent.includes(" --");
  by("take").hidden = by("new").hidden = false;
  by("frame").replaceChildren(
    element("iframe", undefined, { src: `files/report.html?${Date.now()}`, title: "Report", sandbox: "allow-scripts" }),
  );
}

// The answer of `kernelwise tune`: a heading, then a line for each fact, behind its name, to an empty line.
function showAnswer(printed) {
  const [heading, ...lines] = printed.split("\n\n")[0].split("\n");
  const rows = lines.map((line) => line.match(/^(\S.*?) {2,}(.*)$/)).filter(Boolean).map((found) => found.slice(1));
  for (const [name, text] of [["", heading], ...rows]) {
    if (name === "written") continue; // these files are gone in the end: the page offers to save them
    const row = element("div", undefined, name ? {} : { class: "head" });
    row.append(element("dt", name), element("dd", text));
    by("answer").append(row);
  }
}

// -- new rows ----------------------------------------------------------------------------------------------

// What an earlier model has predicted is not for the next one.
function clearRows() {
  by("rows-error").textContent = "";
  by("rows-said").replaceChildren();
  by("predicted").parentElement.hidden = by("take-rows").hidden = true;
}

async function takeRows(file) {
  clearRows();
  by("rows").disabled = by("start").disabled = by("table").disabled = true;
  by("rows-state").textContent = words.predicting;
  try {
    const run = await send("rows", file);
    if (run.state === "failed") throw new Error(`${words.failed} ${run.said.at(-1) || ""}`);
    if (run.state !== "done") throw new Error(run.said.join(" ").replace("kernelwise: ", ""));
    for (const sentence of run.said) by("rows-said").append(element("li", sentence));
    showRows(run.first, run.kept);
    by("take-rows").hidden = false;
  } catch (error) {
    by("rows-error").textContent = error.message;
  }
  by("rows-state").textContent = "";
  by("rows").disabled = by("start").disabled = by("table").disabled = false;
}

// Predictions come first, where a narrow page shows them; in the file they are behind its own columns.
function showRows(rows, kept) {
  const table = by("predicted");
  const row = (cells, kind) => {
    const made = element("tr");
    for (const cell of [...cells.slice(kept), ...cells.slice(0, kept)]) made.append(element(kind, cell));
    return made;
  };
  table.tHead.replaceChildren(row(rows[0], "th"));
  table.tBodies[0].replaceChildren(...rows.slice(1).map((cells) => row(cells, "td")));
  table.parentElement.hidden = false;
  by("rows-shown").hidden = rows.length <= FIRST;
}

// -- all of it ---------------------------------------------------------------------------------------------

// A file that is dropped beside its place must not replace this page.
for (const kind of ["dragover", "drop"]) window.addEventListener(kind, (event) => event.preventDefault());
takesFile(by("table"), by("drop-table"), takeTable);
takesFile(by("rows"), by("drop-rows"), takeRows);
by("form").addEventListener("submit", start);
for (const id of ["target", "group", "time"]) by(id).addEventListener("change", showRoles);
by("stop").addEventListener("click", () => ask("stop", { method: "POST" }).catch(() => {}));
by("end").addEventListener("click", async () => {
  if (!by("take").hidden && !confirm(words.unsaved)) return;
  await ask("end", { method: "POST" }).catch(() => {});
  document.querySelector("main").replaceChildren(element("p", words.ended, { role: "status" }));
});

// A page that is loaded again finds what runs, and can stop it.
ask("run").then((run) => {
  if (run?.command !== "tune") return;
  by("work").hidden = false;
  setRunning(run.state === "running");
  follow();
}).catch(() => {});
