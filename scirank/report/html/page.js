"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const { words, queries, papers } = data;
  const several = data.models.length > 1;
  const collator = new Intl.Collator("en", { numeric: true });
  const PAGE = 25;
  document.documentElement.classList.add("js");

  // What comes from data becomes text, never markup.
  function make(name, attributes = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }

  const minus = (text) => text.replace("-", "\u2212");
  const fixed = (value) => (value === null ? "" : minus(value.toFixed(2)));
  const signed = (value) => (value > 0 ? "+" : "") + fixed(value);
  const pValue = (value) => (value < 0.00005 ? "<0.0001" : value.toFixed(4));
  const count = (value) => value.toLocaleString("en");
  const difference = (a, b) => Number((a - b).toFixed(2));

  // Sorting

  const STEPS = {
    text: ["ascending", "descending"],
    number: ["descending", "ascending"],
    size: ["other", "descending", "ascending"],
  };

  function headings(table, onSort) {
    const cells = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
    cells.forEach((cell, column) => {
      const steps = STEPS[cell.dataset.sort];
      if (!steps) return;
      const button = make("button", { type: "button", class: "sort" }, ...cell.childNodes);
      cell.append(button);
      button.addEventListener("click", () => {
        const direction = steps[(steps.indexOf(cell.getAttribute("aria-sort")) + 1) % steps.length];
        mark(cells, column, direction);
        onSort(column, direction);
      });
    });
    return cells;
  }

  function mark(cells, column, direction) {
    cells.forEach((cell) => cell.removeAttribute("aria-sort"));
    cells[column].setAttribute("aria-sort", direction);
  }

  // What has no value comes last, whichever way.
  function compare(x, y, direction) {
    if (x === null || y === null) return (x === null) - (y === null);
    const order = typeof x === "number" ? x - y : collator.compare(x, y);
    return direction === "ascending" ? order : -order;
  }

  function sortable(table) {
    let sorting = null;
    const valueOf = (cell) => {
      const value = cell.dataset.value;
      return value === undefined ? cell.textContent : value === "" ? null : Number(value);
    };
    const apply = () => {
      if (!sorting) return;
      const rows = [...table.tBodies[0].rows].map((row) => [valueOf(row.cells[sorting.column]), row]);
      rows.sort(([x], [y]) => compare(x, y, sorting.direction));
      table.tBodies[0].append(...rows.map(([, row]) => row));
      table.classList.add("sorted");
    };
    headings(table, (column, direction) => {
      sorting = { column, direction };
      apply();
    });
    return apply;
  }

  // Tables of groups, disciplines and differences

  const number = (text, value, best) =>
    make("td", { class: best ? "number best" : "number", "data-value": value === null ? "" : value }, text);

  function estimates(cells) {
    const top = Math.max(...cells.map((cell) => cell[0]));
    return cells.map(([mean, low, high]) => {
      const cell = number(fixed(mean), mean, several && mean === top);
      if (low !== null) cell.append(" ", make("span", { class: "interval" }, `[${fixed(low)}, ${fixed(high)}]`));
      return cell;
    });
  }

  const rowHead = (text) => make("th", { scope: "row" }, text);

  function differences(row, [start, width]) {
    const [value, low, high, p, holm, sure, effect, ...counts] = row;
    const strip = make("td", { class: "strip", "aria-hidden": "true" });
    if (low !== null) {
      const line = make("span");
      const places = { at: value, low, high, zero: 0 };
      for (const [name, place] of Object.entries(places)) line.style.setProperty(`--${name}`, (place - start) / width);
      strip.append(line);
    }
    return [
      number(signed(value), value, sure),
      make("td", { class: "interval" }, low === null ? "" : `[${signed(low)}, ${signed(high)}]`),
      strip,
      number(pValue(p), p),
      number(pValue(holm), holm),
      number(effect === null ? "" : signed(effect), effect),
      ...counts.map((each) => number(count(each), each)),
    ];
  }

  // Where the lines of intervals begin, and how much they span, 0 included.
  function endsOf(rows) {
    const bounds = rows.flatMap((row) => [row[1] || 0, row[2] || 0]);
    const [low, high] = [Math.min(0, ...bounds), Math.max(0, ...bounds)];
    return [low, high - low || 1];
  }

  const setText = (table, name, text) => {
    table.caption.querySelector(`.${name}`).textContent = text;
  };

  function table(id) {
    const found = byId(id);
    return found && { node: found, apply: sortable(found) };
  }

  function fill({ node, apply }, rows, foot, measure) {
    node.tBodies[0].replaceChildren(...rows.map((cells) => make("tr", {}, ...cells)));
    if (foot) node.tFoot.rows[0].replaceChildren(...foot);
    setText(node, "measure", data.measures[measure].label);
    apply();
  }

  const groups = table("groups-table");
  const disciplines = table("disciplines-table");
  table("averages-table");
  table("sources-table");

  byId("groups-measure").addEventListener("change", (event) => {
    const measure = Number(event.target.value);
    const found = data.estimates[measure];
    const row = (name, part, size, at) => [
      rowHead(name),
      ...(data.parts ? [make("td", { class: "part" }, part)] : []),
      number(count(size), size),
      ...estimates(found.map((model) => model[at])),
    ];
    const [average, part] = [...groups.node.tFoot.rows[0].cells].map((cell) => cell.textContent);
    const total = data.sizes.reduce((sum, size) => sum + size, 0);
    const rows = data.groups.map((name, at) => row(name, data.parts && data.parts[at], data.sizes[at], at));
    fill(groups, rows, row(average, part, total, data.groups.length), measure);
    if (disciplines) {
      const { names, topics, values } = data.disciplines;
      const lines = names.map((name, at) => {
        const cells = values[measure].map((model) => model[at]);
        const top = Math.max(...cells);
        const numbers = cells.map((value) => number(fixed(value), value, several && value === top));
        return [rowHead(name), number(String(topics[at]), topics[at]), ...numbers];
      });
      fill(disciplines, lines, null, measure);
    }
  });

  if (several) {
    const shown = table("differences-table");
    const every = table("pairs-table");
    const [pairs, measures] = [byId("differences-pair"), byId("differences-measure")];
    const show = () => {
      const [pair, measure] = [Number(pairs.value), Number(measures.value)];
      const rows = data.differences[pair][measure];
      const ends = endsOf(rows);
      const lines = data.groups.map((name, at) => [rowHead(name), ...differences(rows[at], ends)]);
      const foot = [rowHead("average"), ...differences(rows[data.groups.length], ends)];
      setText(shown.node, "pair", data.pairs[pair].join(" \u2212 "));
      fill(shown, lines, foot, measure);
      if (every) {
        const averages = data.differences.map((each) => each[measure][data.groups.length]);
        const far = endsOf(averages);
        const named = data.pairs.map((both, at) => [rowHead(both.join(" \u2212 ")), ...differences(averages[at], far)]);
        fill(every, named, null, measure);
      }
    };
    pairs.addEventListener("change", show);
    measures.addEventListener("change", show);
  }

  // Queries

  const list = byId("queries-table");
  const heads = headings(list, (column, direction) => {
    state.sorting = { column, direction };
    state.page = 0;
    arrange();
  });
  const [search, inGroup, measureChoice, pairChoice] = ["search", "group", "measure", "pair"].map((name) =>
    byId(`queries-${name}`),
  );
  const titled = queries.title !== null;
  const firstValue = titled ? 3 : 2;
  const lastColumn = heads.length - 1;
  const state = { view: [], page: 0, opened: new Set(), sorting: null };
  const text = queries.id.map((id, row) =>
    `${titled ? queries.title[row] : ""} ${id} ${data.groups[queries.group[row]]}`.toLowerCase(),
  );
  const measure = () => Number(measureChoice.value);
  const pair = () => data.pairs[pairChoice ? Number(pairChoice.value) : 0].map((name) => data.models.indexOf(name));
  const canOpen = (row) => row in data.lists;

  function keyOf({ column, direction }) {
    const values = queries.values[measure()];
    if (column === 0) return (row) => data.groups[queries.group[row]];
    if (column === 1) return (row) => queries.id[row];
    if (column < firstValue) return (row) => queries.title[row];
    if (!several || column < lastColumn) return (row) => values[column - firstValue][row];
    const [a, b] = pair();
    if (direction !== "other") return (row) => difference(values[a][row], values[b][row]);
    return (row) => Math.abs(difference(values[a][row], values[b][row]));
  }

  function arrange() {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const group = inGroup.value === "" ? null : Number(inGroup.value);
    const found = [];
    for (let row = 0; row < text.length; row += 1) {
      if ((group === null || queries.group[row] === group) && wanted.every((word) => text[row].includes(word))) {
        found.push(row);
      }
    }
    const key = keyOf(state.sorting);
    const keyed = found.map((row) => [key(row), row, canOpen(row) ? 0 : 1]);
    keyed.sort((x, y) => compare(x[0], y[0], state.sorting.direction) || x[2] - y[2] || x[1] - y[1]);
    state.view = keyed.map(([, row]) => row);
    show();
  }

  function show() {
    const { view } = state;
    const pages = Math.max(1, Math.ceil(view.length / PAGE));
    state.page = Math.min(Math.max(0, state.page), pages - 1);
    const first = state.page * PAGE;
    const rows = view.slice(first, first + PAGE).flatMap((row) => {
      const line = queryRow(row);
      return state.opened.has(row) ? [line, detail(row)] : [line];
    });
    const nothing = make("tr", {}, make("td", { colspan: heads.length, class: "note" }, "Nothing is found."));
    list.tBodies[0].replaceChildren(...(rows.length ? rows : [nothing]));
    const all = view.length === text.length ? "" : ` of ${count(text.length)} in all`;
    const shown = `${count(first + 1)}\u2013${count(Math.min(first + PAGE, view.length))} of ${count(view.length)}`;
    byId("queries-status").textContent = view.length ? `${shown}${all && ` found,${all}`}` : `none${all}`;
    byId("queries-first").disabled = byId("queries-previous").disabled = state.page === 0;
    byId("queries-last").disabled = byId("queries-next").disabled = state.page === pages - 1;
    setText(list, "measure", data.measures[measure()].label);
  }

  function queryRow(row) {
    const values = queries.values[measure()].map((model) => model[row]);
    const expanded = String(state.opened.has(row));
    const button = make("button", { type: "button", class: "open", "aria-expanded": expanded, dir: "auto" });
    button.textContent = titled ? queries.title[row] || "(no text)" : queries.id[row];
    const cells = [make("td", { class: "group" }, data.groups[queries.group[row]])];
    if (titled) cells.push(make("td", { class: "id" }, queries.id[row]));
    cells.push(make("th", { scope: "row" }, button));
    const top = Math.max(...values);
    const apart = values.some((value) => value < top);
    cells.push(...values.map((value) => number(fixed(value), value, apart && value === top)));
    if (several) {
      const [a, b] = pair();
      const between = difference(values[a], values[b]);
      cells.push(number(signed(between), between));
    }
    return make("tr", { class: "query", "data-row": row }, ...cells);
  }

  function detail(row) {
    const entry = data.lists[row];
    const id = `${data.groups[queries.group[row]]}, ${queries.id[row]}`;
    const reader = make("div", { class: "reader" });
    const title = titled ? queries.title[row] : "";
    const whole = entry && entry.text ? entry.text : "";
    // A question has no title: what the table shows is the beginning of its text.
    const heading = data.parts ? whole || title : title;
    reader.append(make("p", { class: "measures" }, id));
    if (heading) reader.append(make("h3", { dir: "auto" }, heading));
    if (whole && !data.parts) reader.append(make("p", { class: "abstract", dir: "auto" }, whole));
    if (entry && entry.answers.length) {
      const answers = entry.answers.map((answer) => make("li", { dir: "auto" }, answer));
      const head = answers.length === 1 ? "Answer" : "Answers";
      reader.append(make("h4", {}, head), make("ul", { class: "answers" }, ...answers));
    }
    const parts = data.models.map((model, at) => ranking(model, at, row, entry && entry.models[at]));
    reader.append(make("div", { class: "rankings" }, ...parts));
    return make("tr", { class: "detail" }, make("td", { colspan: heads.length }, reader));
  }

  // Under the exact rule only where that is another number.
  function measuresOf(model, row) {
    const named = new Map(data.measures.map(({ name, label }, at) => [name, [label, queries.values[at][model][row]]]));
    const told = [];
    for (const [name, [label, value]] of named) {
      const spanned = name.startsWith("exact_") && named.get(name.slice(6));
      if (spanned && spanned[1] === value) continue;
      told.push(`${label} ${fixed(value)}`.replaceAll(" ", "\u00a0"));
    }
    return told.join(" \u00b7 ");
  }

  function ranking(model, at, row, ranked) {
    const part = make("div", {}, make("h4", {}, model), make("p", { class: "measures" }, measuresOf(at, row)));
    const say = (words) => part.append(make("p", { class: "below" }, words));
    const more = (all, listed) => all > listed && say(`and ${count(all - listed)} more`);
    if (!ranked) {
      const why = !data.ranked[at]
        ? "This result was saved without its ranked lists."
        : canOpen(row)
          ? "Nothing was ranked."
          : "Ranked papers of this one were left out, to bound the size of the page.";
      say(why);
      return part;
    }
    const [total, below, unranked] = ranked.counts;
    const decimals = Math.max(0, ...ranked.scores.map((score) => (String(score).split(".")[1] || "").length));
    const scores = ranked.scores.map((score) => (score === null ? "" : minus(score.toFixed(decimals))));
    const lines = ranked.papers.map((paper, place) => line(place + 1, paper, ranked.marks[place], scores[place]));
    part.append(make("ol", { class: "papers" }, ...lines));
    if (ranked.below.length) {
      say("Right papers further down:");
      const rest = ranked.below.map(([rank, paper, bits]) => line(rank, paper, bits, null));
      part.append(make("ol", { class: "papers" }, ...rest));
      more(below, rest.length);
    }
    if (unranked) {
      const where = data.parts ? ` among the first ${count(total)}` : "";
      say(`Right papers that are not${where || " ranked"}:`);
      const rest = ranked.unranked.map((paper) => line(null, paper, 1, null));
      part.append(make("ol", { class: "papers" }, ...rest));
      more(unranked, rest.length);
    }
    say(`${count(total)} papers ranked`);
    return part;
  }

  function line(rank, paper, bits, score) {
    const right = (bits & 1) === 1;
    const told = [];
    const why = !data.parts ? "cited" : bits & 2 ? "its title is an answer" : "its title has an answer";
    if (right) told.push(make("span", { class: "verdict" }, why));
    else told.push(make("span", { class: "hidden" }, `not ${data.parts ? "an answer" : "cited"}`));
    const from = data.parts ? [] : data.sources.filter((_, at) => bits & (1 << (at + 1)));
    const title = papers.title[paper];
    const tail = [from.join(", "), title === null ? "" : papers.id[paper]].filter(Boolean).join(" \u00b7 ");
    if (tail) told.push(right ? ` \u00b7 ${tail}` : tail);
    return make(
      "li",
      right ? { class: "is-right" } : {},
      make("span", { class: "rank" }, rank === null ? "\u2013" : String(rank)),
      make("span", { class: "mark", "aria-hidden": "true" }, right ? "\u2713" : "\u00d7"),
      make(
        "span",
        { class: "paper" },
        make("span", { class: "name", dir: "auto" }, title === null ? papers.id[paper] : title || "(no title)"),
        make("span", { class: "from" }, ...told),
      ),
      score === null ? null : make("span", { class: "score", title: "score" }, score),
    );
  }

  function toggle(row, node) {
    const open = !state.opened.has(row);
    node.querySelector(".open").setAttribute("aria-expanded", String(open));
    if (open) {
      state.opened.add(row);
      node.after(detail(row));
    } else {
      state.opened.delete(row);
      node.nextSibling.remove();
    }
    const place = [data.groups[queries.group[row]], queries.id[row]].map(encodeURIComponent).join("/");
    history.replaceState(null, "", open ? `#query=${place}` : "#queries");
  }

  list.tBodies[0].addEventListener("click", (event) => {
    const node = event.target.closest("tr.query");
    const selecting = !event.target.closest("button") && String(getSelection());
    if (node && !selecting) toggle(Number(node.dataset.row), node);
  });

  function openNamed() {
    const [group, id] = location.hash.startsWith("#query=") ? location.hash.slice(7).split("/").map(decoded) : [];
    const row = queries.id.findIndex((each, at) => each === id && data.groups[queries.group[at]] === group);
    if (row < 0) return;
    search.value = inGroup.value = "";
    state.opened.add(row);
    arrange();
    state.page = Math.floor(state.view.indexOf(row) / PAGE);
    show();
    list.querySelector(`tr[data-row="${row}"]`).scrollIntoView();
  }

  function decoded(part) {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  }

  for (const control of [search, inGroup, measureChoice, pairChoice]) {
    if (control) {
      control.addEventListener("input", () => {
        state.page = 0;
        arrange();
      });
    }
  }
  const turn = { first: () => 0, previous: () => state.page - 1, next: () => state.page + 1, last: () => Infinity };
  for (const [name, page] of Object.entries(turn)) {
    byId(`queries-${name}`).addEventListener("click", () => {
      state.page = page();
      show();
    });
  }
  state.sorting = { column: lastColumn, direction: several ? "other" : "ascending" };
  mark(heads, state.sorting.column, state.sorting.direction);
  arrange();
  openNamed();
  addEventListener("hashchange", openNamed);
})();
