// The pages in a real browser: Debian's chromium, driven by playwright-core. Part of ./dev check.
//   node test/page.test.mjs [SCREENSHOTS]     also writes pictures into that folder
//   PAGES: more pages to open, as written by `lockstep explain --html`; none may have an error.
import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { deadlock, long, pageWith, run, withWhy } from "./stories.mjs";

const folder = mkdtempSync(join(tmpdir(), "lockstep-page-"));
const pictures = process.argv[2];
let browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync"],
  });
});
after(() => browser.close());

async function open(data, { hash = "", ...options } = {}) {
  const file = join(folder, `${Math.random()}.html`);
  writeFileSync(file, pageWith(data));
  return openFile(file + hash, options);
}

async function openFile(file, { shows = "header", ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.mistakes = [];
  page.on("pageerror", (error) => page.mistakes.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.mistakes.push(message.text()));
  page.on("dialog", (dialog) => (page.mistakes.push("dialog"), dialog.dismiss()));
  page.on("request", (request) => request.url().startsWith("file:") || page.mistakes.push("request " + request.url()));
  await page.goto("file://" + file);
  await page.waitForSelector(shows);
  page.file = file;
  return page;
}

async function close(page) {
  assert.deepEqual(page.mistakes, []);
  await page.context().close();
}

async function selected(page) {
  const row = await page.waitForSelector(".row.selected"); // drawn in the next frame
  return (await row.innerText()).replaceAll(/\s+/g, " ").trim();
}
const picture = (page, name) => pictures && page.screenshot({ path: join(pictures, name + ".png") });

test("the header names program, test and bug", async () => {
  const page = await open(deadlock());
  const header = await page.innerText("header");
  for (const part of ["DEADLOCK", "bank_test --fast", "Bank.Transfer", "1 preemption", "accounts[1].mutex",
                      "lockstep replay lockstep-out/bank_test/bug-1.lockstep"])
    assert.ok(header.includes(part), part);
  assert.match(await page.title(), /deadlock · Bank.Transfer/);
  await close(page);
});

test("a deadlock shows who waits for whom, bars and gaps", async () => {
  const page = await open(deadlock());
  assert.equal(await page.locator(".waits-for .node").count(), 5); // main waits, too
  assert.equal(await page.locator(".waits-for .bad path").count(), 4);
  assert.equal(await page.locator(".rows > .bar").count(), 2);
  assert.equal(await page.locator(".rows > .wait").count(), 3);
  await picture(page, "deadlock-light");
  await close(page);
});

test("keys move the selection", async () => {
  const page = await open(deadlock());
  await page.keyboard.press("g");
  assert.match(await selected(page), /create worker 1/);
  await page.keyboard.press("ArrowDown");
  assert.match(await selected(page), /create worker 2/);
  await page.keyboard.press("s");
  assert.match(await selected(page), /preempts worker 1/);
  await page.keyboard.press("j");
  assert.match(await selected(page), /^5 lock accounts\[1\].mutex/);
  await page.keyboard.press("o");
  assert.match(await selected(page), /worker 2 holds it/);
  await page.keyboard.press("O");
  assert.match(await selected(page), /^5 /);
  await page.keyboard.press("Shift+S");
  assert.match(await selected(page), /preempts/);
  await page.keyboard.press("?");
  assert.match(await page.innerText(".panel"), /next, previous conflict/);
  await close(page);
});

test("conflicts and arrows", async () => {
  const page = await open(long(300));
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  assert.match(await selected(page), /^4 lock/);
  assert.ok((await page.locator(".edge.own").count()) >= 1);
  const few = await page.locator(".edge").count();
  await page.keyboard.press("a");
  assert.ok((await page.locator(".edge").count()) > few);
  assert.match(await page.innerText(".order"), /after 3 worker 1: unlock/);
  await picture(page, "arrows-light");
  await close(page);
});

test("source has colours, and the line of the step is marked", async () => {
  const page = await open(deadlock());
  await page.keyboard.press("g");
  assert.match(await page.innerText(".source .here"), /hold_from\(from.mutex\)/);
  assert.ok((await page.locator(".source .t-keyword").count()) > 0);
  assert.equal(await page.locator(".source .t-comment").count(), 4); // two lines of one comment among them
  await close(page);
});

test("search finds steps by text, thread and place", async () => {
  const page = await open(long(3000));
  await page.keyboard.press("/");
  await page.keyboard.type("unlock log");
  assert.match(await page.innerText(".count"), /^500 found/);
  await page.keyboard.press("Enter");
  assert.match(await selected(page), /unlock log.mutex_/);
  const first = await selected(page);
  await page.keyboard.press("Enter");
  assert.notEqual(await selected(page), first);
  await page.keyboard.press("Escape");
  assert.equal(await page.inputValue("input"), "");
  await page.fill("input", "bank.cpp:8");
  assert.match(await page.innerText(".count"), /^1000 found/);
  await close(page);
});

test("a link leads to a step, and the address follows the selection", async () => {
  const page = await open(long(3000), { hash: "#step=1234" });
  assert.match(await selected(page), /^1234 /);
  assert.ok(await page.isVisible(".row.selected"));
  await page.keyboard.press("ArrowDown");
  assert.match(page.url(), /#step=1235$/);
  await page.evaluate(() => (location.hash = "#step=7"));
  await page.waitForFunction(() => document.querySelector(".row.selected")?.textContent?.startsWith("7"));
  await close(page);
});

test("only the steps that matter", async () => {
  const page = await open(long(3000));
  const tall = () => page.$eval(".rows", (rows) => rows.clientHeight);
  const all = await tall();
  await page.keyboard.press("e");
  assert.ok((await tall()) < all / 5);
  await page.keyboard.press("f");
  assert.match(await selected(page), /assertion/);
  await close(page);
});

test("why, and a schedule that passes", async () => {
  const page = await open(withWhy());
  assert.match(await page.innerText(".why"), /step 4 .* comes before step 6/);
  assert.doesNotMatch(await page.innerText(".why"), /Nothing orders/);
  await page.click("text=Passing schedule");
  assert.match(await page.innerText(".first-difference"), /5\s+worker 2 lock accounts\[1\].mutex.*worker 1 lock accounts\[1\]/s);
  await picture(page, "passing-light");
  await close(page);
});

test("why nothing orders the accesses of a race", async () => {
  const unordered = "Nothing orders the two accesses: neither thread holds a lock.";
  const data = withWhy();
  data.why.unordered = unordered;
  const page = await open(data);
  assert.match(await page.innerText(".why"), /^Nothing orders .*step 4 .* comes before step 6/s);
  await close(page);
});

test("dark, by the system and by choice", async () => {
  const page = await open(long(200), { colorScheme: "dark" });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await background();
  await picture(page, "assertion-dark");
  await page.keyboard.press("d");
  assert.notEqual(await background(), dark);
  await close(page);
});

test("a phone", async () => {
  const page = await open(deadlock(), { viewport: { width: 390, height: 844 }, hasTouch: true });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide} pixels wide`);
  await page.tap(".row >> nth=3");
  assert.match(await page.innerText(".panel"), /hold_from/);
  await picture(page, "phone-light");
  await close(page);
});

test("many threads become tracks", async () => {
  const page = await open(long(600, 20));
  assert.equal(await page.locator(".lane.narrow").count(), 20);
  await picture(page, "many-threads-light");
  await close(page);
});

test("nothing from the program leaves its place", async () => {
  const evil = `</script><script>alert(1)</script><img src=x onerror=alert(1)><!--`;
  const data = deadlock({ message: evil, program: [evil], test: evil });
  data.texts = data.texts.map((text) => text + evil);
  data.objects.forEach((object) => (object.name = evil));
  data.files[0].text = evil + "\n".repeat(20) + evil;
  const page = await open(data);
  await page.keyboard.press("g");
  assert.equal(await page.locator("img").count(), 0);
  assert.ok((await page.innerText(".message")).includes(evil));
  await close(page);
});

test("a run: tests, charts, findings", async () => {
  const page = await open(run(true));
  assert.match(await page.innerText("h1"), /BUG\s+bank_test/);
  assert.equal(await page.locator(".tests tbody tr").count(), 2);
  assert.match(await page.innerText(".finding"), /worker 1 waits for .* <\/script>/);
  await page.click("text=Bank.Audit");
  assert.match(await page.innerText(".sections"), /every sequentially consistent execution/);
  assert.equal(await page.locator(".curve").count(), 2);
  assert.equal(await page.locator(".bars").first().locator("tr").count(), 3);
  assert.match(await page.innerText(".sections"), /optimal-dpor/);
  await picture(page, "run-light");
  await close(page);
});

test("a run that goes on is loaded again by itself", async () => {
  const page = await open(run(false), { colorScheme: "dark", viewport: { width: 390, height: 844 } });
  assert.match(await page.innerText("h1"), /RUNNING/);
  assert.match(await page.innerText(".sections"), /8,000 executions of about 12,000; about 4 s left/);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await picture(page, "run-phone-dark");
  writeFileSync(page.file, pageWith(run(true)));
  await page.waitForFunction(() => document.querySelector("h1")?.textContent?.startsWith("bug"), null, { timeout: 20000 });
  await close(page);
});

// What the page's thread computed so far, without what other programs on the machine did meanwhile.
async function computed(page) {
  page.meter ??= await page.context().newCDPSession(page);
  await page.meter.send("Performance.enable", { timeDomain: "threadTicks" });
  const { metrics } = await page.meter.send("Performance.getMetrics");
  return 1000 * metrics.find(({ name }) => name === "TaskDuration").value;
}

for (const [steps, limit] of [[5000, 300], [100000, 1500]])
  test(`first paint of ${steps} steps`, async (t) => {
    const file = join(folder, `${steps}.html`);
    writeFileSync(file, pageWith(long(steps, 8)));
    const page = await openFile("/dev/null", { shows: "html" });
    const before = await computed(page);
    await page.goto("file://" + file);
    await page.waitForSelector(".row");
    const paint = await page.evaluate(() => new Promise((done) => {
      const now = performance.getEntriesByName("first-contentful-paint")[0];
      if (now) done(now.startTime);
      else new PerformanceObserver((list) => done(list.getEntries()[0].startTime)).observe({ type: "paint", buffered: true });
    }));
    const spent = (await computed(page)) - before;
    t.diagnostic(`${Math.round(spent)} ms computed, first paint after ${Math.round(paint)} ms`);
    assert.ok(spent > 0 && spent < limit, `${spent} ms`);
    await close(page);
  });

test("100,000 steps scroll without pauses", async (t) => {
  const page = await open(long(100000, 8));
  assert.ok((await page.locator(".row").count()) < 120); // only what is in sight
  const before = await computed(page);
  await page.evaluate(async () => {
    const box = document.querySelector(".steps");
    for (let at = 0; at < 60; ++at) {
      box.scrollTop = at * 40000;
      await new Promise((next) => requestAnimationFrame(() => setTimeout(next)));
    }
  });
  const frame = ((await computed(page)) - before) / 60;
  t.diagnostic(`${frame.toFixed(1)} ms computed for a frame`);
  assert.ok(frame > 0 && frame < 16, `${frame} ms`);
  await page.evaluate(() => (document.querySelector(".steps").scrollTop = 1e9));
  await page.waitForSelector(".row.failure");
  const begin = Date.now();
  await page.fill("input", "unlock log");
  await page.waitForFunction(() => document.querySelector(".count").textContent.includes("found"));
  t.diagnostic(`search: ${Date.now() - begin} ms`);
  await close(page);
});

for (const file of (process.env.PAGES ?? "").split(":").filter(Boolean))
  test(`the page ${file}`, async () => {
    const page = await openFile(file);
    await page.keyboard.press("g");
    for (const key of "scotfjkean?".split("")) await page.keyboard.press(key);
    await picture(page, file.replace(/.*\//, "").replace(/\.html$/, ""));
    await close(page);
  });
