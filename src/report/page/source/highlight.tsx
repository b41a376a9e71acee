// Source with colours. A file is split into tokens once, so that comments over several lines come out right.
import Prism from "prismjs";
import "prismjs/components/prism-c";
import "prismjs/components/prism-cpp";
import type { JSX } from "preact";

Prism.manual = true;
type Piece = [kind: string, text: string];
const known = new Map<number, Piece[][]>();

function split(tokens: (string | Prism.Token)[], kind: string, lines: Piece[][]) {
  for (const token of tokens) {
    if (typeof token !== "string") {
      split(Array.isArray(token.content) ? (token.content as Prism.Token[]) : [token.content as string], token.type, lines);
      continue;
    }
    token.split("\n").forEach((text, line) => {
      if (line > 0) lines.push([]);
      if (text) lines[lines.length - 1]!.push([kind, text]);
    });
  }
}

function linesOf(file: number, text: string): Piece[][] {
  let lines = known.get(file);
  if (!lines) {
    lines = [[]];
    split(Prism.tokenize(text, Prism.languages["cpp"]!), "", lines);
    known.set(file, lines);
  }
  return lines;
}

export function Source(props: { file: number; text: string; line: number; around: number }): JSX.Element {
  const lines = linesOf(props.file, props.text);
  const first = Math.max(1, props.line - props.around), last = Math.min(lines.length, props.line + props.around);
  const shown: JSX.Element[] = [];
  for (let n = first; n <= last; ++n)
    shown.push(
      <span key={n} class={n === props.line ? "line here" : "line"}>
        <span class="number">{n}</span>
        {lines[n - 1]!.map(([kind, text]) => (kind ? <span class={"t-" + kind}>{text}</span> : text))}
      </span>,
    );
  return <pre class="source">{shown}</pre>;
}
