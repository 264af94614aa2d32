"use strict";
// Every page works without this. It streams answers, tells how far an upload is, and says that something is waited for.

const $ = (id) => document.getElementById(id);

/** Calls `each` with every event of a stream of server-sent events, as its text comes in pieces. */
function events(each) {
  let held = "";
  return (text) => {
    const blocks = (held + text).split("\n\n");
    held = blocks.pop();
    for (const block of blocks) {
      const [name, data] = block.split("\n");
      each(name.slice("event: ".length), JSON.parse(data.slice("data: ".length)));
    }
  };
}

/** What another page of ours says of a refusal, as HTML that was made there. */
function refusal(text) {
  const said = new DOMParser().parseFromString(text, "text/html").querySelector(".problem");
  return said ? said.outerHTML : broken("The server does not answer as it should.");
}

function broken(said) {
  const box = document.createElement("div");
  const told = document.createElement("p");
  box.className = "problem";
  box.setAttribute("role", "alert");
  told.textContent = said;
  box.append(told);
  return box.outerHTML;
}

/** A place on the page for a question and its answer, above those before. */
function opened(question) {
  const turn = document.createElement("article");
  turn.className = "turn busy";
  turn.setAttribute("aria-busy", "true");
  turn.innerHTML = '<h2 dir="auto"></h2><div class="body"><div class="verdict"><p class="answer none"></p></div>'
    + '<div class="columns"><div class="evidence"></div><aside class="way" aria-label="The way of the question"></aside></div></div>';
  turn.querySelector("h2").textContent = question;
  turn.querySelector(".none").textContent = "Searching…";
  $("turns").prepend(turn);
  return turn;
}

/** The two buttons that call an answer good or bad, below it. */
function judging(turn, answer) {
  const form = $("judging").content.cloneNode(true).querySelector("form");
  form.elements.q.value = turn.querySelector("h2").textContent;
  form.elements.answer.value = answer;
  turn.append(form);
}

async function ask(form) {
  const button = form.querySelector("button"), leave = new AbortController();
  const fields = new URLSearchParams(new FormData(form));
  const turn = opened(form.q.value.trim());
  const within = (part) => turn.querySelector(part);
  let over = false;
  const end = (html) => { over = true; within(".body").innerHTML = html; };
  const heard = events((name, told) => {
    if (name === "hop") within(".way").innerHTML = told.html;
    else if (name === "evidence") within(".evidence").innerHTML = told.html;
    else end(told.html);
    if (told.judge) judging(turn, told.judge);
    if (told.said) $("status").textContent = told.said;
  });
  const stop = (event) => { event.preventDefault(); leave.abort(); };
  button.textContent = "Stop";
  button.addEventListener("click", stop);
  $("status").textContent = "Searching";
  $("intro")?.remove();
  $("again").hidden = false;
  history.replaceState(null, "", `/?chat=${encodeURIComponent(form.chat.value)}`); // so that coming back finds it again
  form.q.value = "";
  try {
    const reply = await fetch("/", { method: "POST", body: fields, headers: { Accept: "text/event-stream, text/html;q=0.9" }, signal: leave.signal });
    if (!reply.ok || !reply.headers.get("content-type").startsWith("text/event-stream")) end(refusal(await reply.text()));
    else {
      const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) heard(part.value);
    }
    if (!over) end(broken("The connection was lost before the answer came. Ask once more."));
  } catch {
    end(broken(leave.signal.aborted ? "Stopped." : "The connection was lost before the answer came. Ask once more."));
  }
  if (!turn.querySelector(".evidence") && !form.q.value) form.q.value = fields.get("q");
  turn.classList.remove("busy");
  turn.removeAttribute("aria-busy");
  button.removeEventListener("click", stop);
  button.textContent = "Ask";
}

/** Why files cannot be sent, which a server that hangs up amid them could not say; empty where they can. */
function unfit(form) {
  const size = [...form.file.files].reduce((sum, one) => sum + one.size, 0), most = Number(form.dataset.most);
  const mb = (bytes) => `${Math.ceil(bytes / 2 ** 20).toLocaleString("en")} MB`;
  return size > most ? `These have ${mb(size)}; ${mb(most)} at once can be added here. For more: answerable index FILE --enclave NAME` : "";
}

const STAGES = { ingest: "Reading", lexical: "Words", vectors: "Vectors", entities: "Names" };

function upload(form) {
  if (unfit(form)) { $("told").textContent = unfit(form); return; }
  const sent = new XMLHttpRequest(), bar = $("progress"), button = form.querySelector("button");
  let read = 0;
  const end = (said) => { $("told").textContent = said; bar.hidden = true; button.disabled = false; };
  const heard = events((name, told) => {
    if (name === "progress") {
      bar.value = told.total ? told.done / told.total : 0;
      $("told").textContent = `${STAGES[told.stage] ?? told.stage}: ${told.done}${told.total ? ` of ${told.total}` : ""}`;
    } else if (told.go) location.assign(told.go);
    else end(new DOMParser().parseFromString(told.html, "text/html").body.textContent.trim());
  });
  sent.open("POST", form.action);
  sent.setRequestHeader("Accept", "text/event-stream");
  sent.upload.onprogress = (event) => { bar.value = event.loaded / event.total; $("told").textContent = "Sending"; };
  sent.onprogress = sent.onload = () => {
    if (sent.status !== 200) return;
    heard(sent.responseText.slice(read));
    read = sent.responseText.length;
  };
  sent.onloadend = () => {
    if (sent.status === 0) end("The connection was lost. Add the files once more.");
    else if (sent.status !== 200) end(new DOMParser().parseFromString(refusal(sent.responseText), "text/html").body.textContent.trim());
  };
  bar.hidden = false;
  button.disabled = true;
  sent.send(new FormData(form));
}

for (const box of document.querySelectorAll("textarea")) {
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (box.form.reportValidity()) box.form.requestSubmit();
  });
}

for (const form of document.querySelectorAll("form.waits")) {
  form.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (button) setTimeout(() => { button.disabled = true; button.textContent = "One moment…"; });
  });
}

if ($("ask")) {
  $("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!document.querySelector(".busy")) ask(event.target);
  });
  for (const one of document.querySelectorAll(".tries a")) {
    one.addEventListener("click", (event) => {
      event.preventDefault();
      $("q").value = one.textContent;
      $("ask").requestSubmit();
    });
  }
}

if ($("upload")) {
  const form = $("upload"), drop = form.querySelector(".drop");
  form.addEventListener("submit", (event) => { event.preventDefault(); upload(form); });
  for (const name of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", name === "dragover");
      if (name !== "drop") return;
      const folder = [...event.dataTransfer.items].some((one) => one.webkitGetAsEntry?.()?.isDirectory);
      if (!folder) form.file.files = event.dataTransfer.files;
      $("told").textContent = folder ? "That is a folder. Drop its files, or index it: answerable index FOLDER --enclave NAME" : "";
    });
  }
}
