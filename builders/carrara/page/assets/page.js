// Shows rows. All text of the release reaches the page as text nodes: nothing of it is read as HTML.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const MOST_LISTED = 500;
  const byId = (id) => document.getElementById(id);
  const FIRST_PIECES = 3;
  const { configs, rows, sealed, model } = JSON.parse(byId("data").textContent);
  const search = byId("search");
  const chosen = { task: byId("task"), bucket: byId("bucket"), config: byId("config"), verdict: byId("verdict") };
  const VERDICTS = { right: "right", partly: "partly right", wrong: "wrong", missing: "missing" };
  const rowOf = new Map(rows.map((row, place) => [row.id, place]));
  let current = -1;

  const number = (value) => value.toLocaleString("en-US");
  const points = (score) => (100 * score).toFixed(score === 0 || score === 1 ? 0 : 1);
  const percent = (share) => `${(100 * share).toFixed(1)} %`;
  const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;
  const hashOf = (row) => `#row=${encodeURIComponent(row.id).replace(/%2F/g, "/")}`;

  function make(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value !== null) node.setAttribute(name, value);
    }
    node.append(...children.flat(Infinity).filter((child) => child !== null));
    return node;
  }

  // An id may be parted after its slashes, and is copied whole.
  const parted = (id) => id.split(/(?<=\/)/).flatMap((part, place) => (place ? [make("wbr"), part] : [part]));

  // --- one row ---------------------------------------------------------------------------------------------------

  function cut(parts) {
    if (parts.length === 1) return [parts[0]];
    return [parts[0], make("span", { class: "cut" }, ` … ${plural(parts[1], "character")} left out … `), parts[2]];
  }

  function facts(pairs) {
    return make("dl", { class: "facts" }, pairs.map(([name, ...value]) => [make("dt", {}, name), make("dd", {}, value)]));
  }

  function items(title, listed, lang, ordered) {
    if (!listed.count && title === "Answer") {
      return [make("h4", {}, title), make("p", { class: "note" }, sealed ? "Withheld: this release is sealed." : "None.")];
    }
    if (!listed.count) return [];
    const heading = make("h4", {}, listed.count === 1 ? title : `${title}s (${number(listed.count)})`);
    const texts = listed.first.map((parts) => make("span", { class: "text", lang }, cut(parts)));
    const more = listed.count - texts.length;
    const note = more > 0 ? make("p", { class: "note" }, `and ${number(more)} more, not in this page`) : null;
    if (listed.count === 1) return [heading, make("div", { class: "answers" }, texts)];
    return [heading, make("ol", ordered ? { type: "A", class: "choices" } : { class: "answers" },
      texts.map((text) => make("li", {}, text))), note];
  }

  function choices(row, lang) {
    const parts = items("Choice", row.choices, lang, true);
    const gold = row.answers.count === 1 ? row.answers.first[0] : [];
    const place = gold.length === 1 && /^[A-Z]$/.test(gold[0]) ? gold[0].charCodeAt(0) - 65 : -1;
    const marked = parts.length ? parts[1].children[place] : null;
    if (marked) marked.append(make("span", { class: "gold" }, "✓ gold"));
    return parts;
  }

  function strip(row) {
    const { marks, count } = row.evidence;
    const svg = document.createElementNS(SVG, "svg");
    const put = (name, attributes) => {
      const node = document.createElementNS(SVG, name);
      for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
      svg.append(node);
    };
    const places = marks.slice(0, 12).map(([start]) => percent(start)).join(", ");
    const name = `Where ${count === 1 ? "the evidence stands" : `${number(count)} pieces of evidence stand`} in the prompt: `;
    svg.setAttribute("viewBox", "0 0 1000 24");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("class", "depth-strip");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", name + places + (marks.length > 12 ? ", …" : ""));
    put("rect", { class: "track", x: 0, y: 8, width: 1000, height: 8 });
    for (const [start, end] of marks) {
      const width = Math.max(3, (end - start) * 1000);
      put("rect", { class: "place", x: Math.min(start * 1000, 1000 - width), y: 2, width, height: 20 });
    }
    return [svg, make("div", { class: "ends", "aria-hidden": "true" }, make("span", {}, "top of the prompt"), make("span", {}, "end"))];
  }

  function figureOf(piece, place, count, lang) {
    const depth = piece.depth === null ? "no depth" : `depth ${percent(piece.depth)}`;
    const span = `characters ${number(piece.start)}–${number(piece.end)}`;
    const caption = make("figcaption", {}, `${number(place + 1)} of ${number(count)} · ${depth} · ${span}`);
    if (!piece.text.length) {
      return make("figure", { class: "evidence" }, caption, make("p", { class: "bad" }, "The span is empty or lies outside the prompt."));
    }
    const [before, after] = piece.more;
    return make("figure", { class: "evidence" }, caption, make("div", { class: "text", lang },
      make("span", { class: "around" }, (before ? "…" : "") + piece.before),
      make("mark", {}, cut(piece.text)),
      make("span", { class: "around" }, piece.after + (after ? "…" : ""))));
  }

  const folded = (title, ...children) => make("details", {}, make("summary", {}, title), children);

  function evidence(row, lang) {
    const { count, pieces } = row.evidence;
    if (!count) return [make("h4", {}, "Evidence"), make("p", { class: "note" },
      sealed ? "Withheld: this release is sealed." : "No piece of evidence is marked in this row.")];
    const left = count - pieces.length;
    const figures = pieces.map((piece, place) => figureOf(piece, place, count, lang));
    const more = figures.splice(FIRST_PIECES);
    return [
      make("h4", {}, count === 1 ? "Evidence" : `Evidence (${number(count)} pieces)`),
      strip(row),
      figures,
      more.length ? folded(`${plural(more.length, "more piece")} of evidence`, more) : null,
      left ? make("p", { class: "note" }, `and ${plural(left, "more piece")}, not in this page`) : null,
    ];
  }

  function factsOf(row) {
    if (row.facts.text) return row.facts.text[0] === "" ? [] : [folded("Facts", make("pre", {}, cut(row.facts.text)))];
    if (!row.facts.pairs.length) return [];
    const more = row.facts.left ? make("p", { class: "note" }, `and ${number(row.facts.left)} more, not in this page`) : null;
    const pairs = row.facts.pairs.map(([name, parts]) => [name, make("code", {}, cut(parts))]);
    return [folded("Facts", facts(pairs), ...(more ? [more] : []))];
  }

  // The question stands at the end of most prompts, at the top of some.
  function question(row, lang) {
    if (!row.tail.length) return [make("h4", {}, "Prompt"), make("div", { class: "text", lang }, row.head)];
    const shown = number((row.characters - row.between) / 2);
    return [
      make("h4", {}, `Prompt, its last ${shown} of ${plural(row.characters, "character")}`),
      make("div", { class: "tail" }, make("div", { class: "text", lang }, make("span", { class: "around" }, "…"), row.tail)),
      folded(`The first ${shown} characters`,
        make("div", { class: "text", lang }, row.head),
        make("p", {}, make("span", { class: "cut" }, `… ${plural(row.between, "character")} not in this page …`))),
    ];
  }

  function response(row) {
    const { text, characters, score, verdict, reason } = row.response;
    const said = score === null ? VERDICTS[verdict] : `${VERDICTS[verdict]} · ${points(score)}`;
    const heading = make("h4", {}, `Response of ${model}`, make("span", { class: `verdict ${verdict}` }, said));
    if (!text.length) return [heading, make("p", { class: "note" }, `No response: ${reason}`)];
    return [
      heading,
      characters ? make("div", { class: "text" }, cut(text)) : make("p", { class: "note" }, "The response is empty."),
      make("p", { class: "note" }, `${plural(characters, "character")}, scored by ${reason}`),
    ];
  }

  function answers(row, lang) {
    const gold = items("Answer", row.answers, lang, false).filter((node) => node !== null);
    if (!row.response) return gold;
    return [make("div", { class: "beside" }, make("div", {}, gold), make("div", {}, response(row)))];
  }

  function step(place, word) {
    return place >= 0 && place < rows.length ? make("a", { href: hashOf(rows[place]) }, word) : null;
  }

  function draw(place) {
    const row = rows[place];
    const config = configs[row.config];
    const lang = row.variant.split("_").includes("zh") ? "zh" : null;
    const used = row.tokens + row.room;
    current = place;
    byId("row").replaceChildren(
      make("h3", { id: "row-title", tabindex: "-1" }, parted(row.id)),
      make("p", { class: "steps" },
        make("span", {}, `row ${number(row.index + 1)} of ${number(config.rows)} of ${config.name}`),
        step(place - 1, "← previous"), step(place + 1, "next →")),
      facts([
        ["Task", row.variant ? `${row.task}, variant ${row.variant}` : row.task],
        ["Length", `${number(row.tokens)} tokens + ${number(row.room)} for the answer = ${number(used)} of ${number(config.size)} (${row.bucket})`],
        ["Metric", make("code", {}, row.metric)],
        row.prefix ? ["Answer prefix", make("span", { class: "text", lang }, row.prefix)] : null,
      ].filter((pair) => pair !== null)),
      ...answers(row, lang),
      ...choices(row, lang).filter((node) => node !== null),
      ...question(row, lang),
      ...evidence(row, lang).flat().filter((node) => node !== null),
      ...factsOf(row),
      folded("Ids and hashes", facts([
        ["Prompt", `${plural(row.characters, "character")}, ${plural(row.bytes, "byte")}`],
        ["Complexity", number(row.complexity)],
        ["Item", make("code", {}, parted(row.item))],
        ["Group", make("code", {}, parted(row.group))],
        ["Prompt sha256", make("code", { class: "digest" }, row.sha256)],
        ["Row digest", make("code", { class: "digest" }, row.digest || "none"), " ",
          row.listed ? make("span", { class: "good" }, "✓ as listed") : make("span", { class: "bad" }, "✗ not as listed: carrara verify RELEASE")],
      ])),
    );
  }

  // --- finding rows ----------------------------------------------------------------------------------------------

  // What is searched of a row: its id, the end of its prompt (all of a short one), gold, choices and response.
  const texts = [];
  function textOf(place) {
    const { id, head, tail, answers, choices, response } = rows[place];
    const parts = [id, tail.length ? tail : head, answers.first, choices.first, response ? response.text : []];
    texts[place] ??= parts.flat(Infinity).join(" ").toLowerCase();
    return texts[place];
  }

  function isChosen(row) {
    const config = configs[row.config];
    if (chosen.config.value !== "" && row.config !== Number(chosen.config.value)) return false;
    if (chosen.task.value !== "" && config.task !== chosen.task.value) return false;
    if (chosen.bucket.value !== "" && config.bucket !== chosen.bucket.value) return false;
    if (model === null) return true;
    const { verdict, score } = row.response || { verdict: "", score: null };
    if (chosen.verdict.value !== "" && verdict !== chosen.verdict.value) return false;
    const [least, most] = [Number(byId("least").value || 0), Number(byId("most").value || 100)];
    // What has no score counts 0.
    return 100 * (score || 0) >= least && 100 * (score || 0) <= most;
  }

  function matching() {
    const words = search.value.trim().toLowerCase().split(/\s+/).filter((word) => word);
    return rows.map((_, place) => place).filter((place) => isChosen(rows[place])
      && words.every((word) => textOf(place).includes(word)));
  }

  function unfilter() {
    for (const box of Object.values(chosen)) box.value = "";
    byId("least").value = "0";
    byId("most").value = "100";
    search.value = "";
  }

  // A row of the release that this page does not hold.
  function elsewhere(id) {
    const match = /^(.*\/)([0-9]{5,7})$/.exec(id);
    const config = match && configs.find(({ stem }) => stem === match[1]);
    return config && Number(match[2]) < config.rows;
  }

  function verdictOf({ response: given }) {
    if (!given) return [];
    const said = given.score === null ? "missing" : points(given.score);
    return [make("span", { class: `verdict ${given.verdict}` }, said)];
  }

  function list() {
    const places = matching();
    const wanted = search.value.trim();
    const groups = new Map();
    for (const place of places.slice(0, MOST_LISTED)) {
      const config = rows[place].config;
      if (!groups.has(config)) groups.set(config, []);
      groups.get(config).push(place);
    }
    byId("list").replaceChildren(...[...groups].map(([config, group]) => make("section", {},
      make("h3", {}, configs[config].name),
      make("ul", {}, group.map((place) => make("li", {}, make("a",
        { href: hashOf(rows[place]), "aria-current": place === current ? "true" : null, "data-place": place },
        rows[place].id.slice(rows[place].id.lastIndexOf("/") + 1),
        ...verdictOf(rows[place]),
        make("span", {}, `${number(rows[place].tokens)} tokens`))))))));
    const cut_ = places.length > MOST_LISTED ? `, the first ${MOST_LISTED} below` : "";
    let status = `${number(places.length)} of ${plural(rows.length, "row")} in this page${cut_}`;
    if (!places.length && elsewhere(wanted)) {
      status = "This row is in the release, but not in this page. carrara show RELEASE ID prints it; "
        + "carrara page RELEASE --row ID puts it into a page.";
    }
    byId("status").textContent = status;
  }

  function show(place, moves) {
    draw(place);
    if (!matching().includes(place)) {
      unfilter();
      chosen.config.value = String(rows[place].config);
    }
    list();
    const link = byId("list").querySelector("[aria-current]");
    if (link) {
      const box = byId("list");
      const top = link.getBoundingClientRect().top - box.getBoundingClientRect().top;
      if (top < 0 || top > box.clientHeight - 30) box.scrollTop += top - box.clientHeight / 2;
      if (moves) link.focus({ preventScroll: true });
    }
  }

  function fromHash(first) {
    let hash = "";
    try {
      hash = decodeURIComponent(location.hash.slice(1));
    } catch {
      hash = "";
    }
    if (hash.startsWith("row=")) {
      const id = hash.slice(4);
      const inList = byId("list").contains(document.activeElement);
      if (rowOf.has(id)) {
        const below = matchMedia("(max-width: 56rem)").matches;
        if (below || first) byId(below ? "row" : "rows").scrollIntoView();
        show(rowOf.get(id), inList);
        // Beside the list the row is in sight already, and a reader who walks the list stays there.
        if (below || !inList) byId("row-title").focus({ preventScroll: true });
      } else {
        unfilter();
        search.value = id;
        list();
        byId("status").scrollIntoView({ block: "center" });
      }
    } else if (hash.startsWith("config=")) {
      const place = configs.findIndex(({ name }) => name === hash.slice(7));
      if (place >= 0) {
        unfilter();
        chosen.config.value = String(place);
        const held = rows.findIndex((row) => row.config === place);
        if (held >= 0) draw(held);
        list();
        byId("rows").scrollIntoView();
        chosen.config.focus({ preventScroll: true });
      }
    } else {
      unfold(hash);
    }
  }

  // A part of the page that is folded is opened by a link to it.
  function unfold(id) {
    const part = id && byId(id);
    if (part && part.tagName === "DETAILS") {
      part.open = true;
      part.scrollIntoView();
    }
  }

  function walk(event) {
    const links = [...byId("list").querySelectorAll("a")];
    const here = links.indexOf(document.activeElement);
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: links.length - 1 }[event.key];
    if (to === undefined || !links.length) return;
    event.preventDefault();
    if (to < 0) search.focus();
    else links[Math.min(to, links.length - 1)].focus();
  }

  function browse() {
    const fill = (box, all, values) => {
      box.append(make("option", { value: "" }, all));
      for (const [value, name] of values) box.append(make("option", { value }, name));
      box.addEventListener("change", () => {
        // A config says its task and bucket already.
        if (box === chosen.config) chosen.task.value = chosen.bucket.value = "";
        else if (box !== chosen.verdict) chosen.config.value = "";
        list();
      });
    };
    const pairs = (values) => [...new Set(values)].map((value) => [value, value]);
    const buckets = [...configs].sort((one, other) => one.size - other.size).map((config) => config.bucket);
    fill(chosen.task, "all tasks", pairs(configs.map((config) => config.task)));
    fill(chosen.bucket, "all buckets", pairs(buckets));
    fill(chosen.verdict, "all results", Object.entries(VERDICTS));
    fill(chosen.config, "all configs", []);
    for (const node of document.querySelectorAll(".scoring")) node.hidden = model === null;
    for (const id of ["least", "most"]) byId(id).addEventListener("input", list);
    const groups = new Map();
    configs.forEach((config, place) => {
      if (!groups.has(config.task)) groups.set(config.task, make("optgroup", { label: config.task }));
      groups.get(config.task).append(make("option", { value: place }, config.name));
    });
    chosen.config.append(...groups.values());
    search.addEventListener("input", list);
    search.addEventListener("keydown", (event) => {
      const places = matching();
      if (event.key === "Enter") {
        const exact = rowOf.get(search.value.trim());
        const place = exact === undefined ? places[0] : exact;
        if (place !== undefined) location.hash = hashOf(rows[place]);
      } else if (event.key === "ArrowDown" && places.length) {
        event.preventDefault();
        byId("list").querySelector("a").focus();
      }
    });
    byId("list").addEventListener("keydown", walk);
    window.addEventListener("hashchange", () => fromHash(false));
    document.querySelector("nav").addEventListener("click", (event) => unfold((event.target.hash || "").slice(1)));
    byId("browser").hidden = false;
    if (rows.length) draw(0);
    else byId("row").append(make("p", { id: "row-title" }, "No row is in this page."));
    list();
    fromHash(true);
  }

  // --- the table of configs, and the theme -------------------------------------------------------------------------

  function sortable(table) {
    const grouped = [...table.tBodies];
    const lines = grouped.flatMap((body) => [...body.rows].filter((line) => !line.classList.contains("group")));
    const homes = lines.map((line) => line.parentNode);
    const heads = [...table.tHead.rows[0].cells];
    const back = make("button", { type: "button" }, "Group by task");
    const tools = make("p", { class: "tools", hidden: "" }, back);
    const key = (line, column) => {
      const cell = line.cells[column];
      return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
    };
    const unsort = () => heads.forEach((head) => head.removeAttribute("aria-sort"));
    table.parentNode.before(tools);
    back.addEventListener("click", () => {
      unsort();
      lines.forEach((line, place) => homes[place].append(line));
      table.replaceChildren(table.tHead, ...grouped);
      tools.hidden = true;
      heads[0].querySelector("button").focus();
    });
    heads.forEach((head, column) => {
      const button = make("button", { type: "button" }, head.textContent);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const falls = head.getAttribute("aria-sort") === "ascending";
        const order = [...lines].sort((one, other) => {
          const [a, b] = [key(one, column), key(other, column)];
          return (a < b ? -1 : a > b ? 1 : 0) * (falls ? -1 : 1);
        });
        unsort();
        head.setAttribute("aria-sort", falls ? "descending" : "ascending");
        table.replaceChildren(table.tHead, make("tbody", {}, order));
        tools.hidden = false;
      });
    });
  }

  function themes(button) {
    const order = ["system", "light", "dark"];
    let place = 0;
    const stored = (value) => {
      // A browser may forbid a file to keep anything.
      try {
        if (value === undefined) return localStorage.getItem("carrara-theme");
        localStorage.setItem("carrara-theme", value);
      } catch {
        return null;
      }
      return null;
    };
    const set = () => {
      if (place) document.documentElement.dataset.theme = order[place];
      else delete document.documentElement.dataset.theme;
      button.textContent = `Theme: ${order[place]}`;
    };
    place = Math.max(0, order.indexOf(stored()));
    set();
    button.hidden = false;
    button.addEventListener("click", () => {
      place = (place + 1) % order.length;
      set();
      stored(order[place]);
    });
  }

  themes(byId("theme"));
  sortable(byId("configs-table"));
  browse();
})();
