// A line chart, as plain as can be: numbers over time.
const WIDTH = 640, HEIGHT = 220, LEFT = 64, BOTTOM = 26, TOP = 10, RIGHT = 10;

export interface Series {
  name: string;
  colour: string;
  points: [seconds: number, value: number][];
}

export const count = (n: number) => n.toLocaleString("en");

// 1, 2 or 5 times a power of ten, about `parts` of them up to `most`.
function ticks(most: number, parts: number): number[] {
  const rough = most / parts, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((n) => n * power >= rough) ?? 10);
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => i * step);
}

export function Chart({ series }: { series: Series[] }) {
  const all = series.flatMap(({ points }) => points);
  const latest = Math.max(...all.map(([seconds]) => seconds), 1e-3), most = Math.max(...all.map(([, value]) => value), 1);
  const x = (seconds: number) => LEFT + (seconds / latest) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => HEIGHT - BOTTOM - (value / most) * (HEIGHT - BOTTOM - TOP);
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={series.map(({ name }) => name).join(", ")}>
        {ticks(most, 4).map((value) => (
          <g><path class="grid" d={`M${LEFT} ${y(value)}H${WIDTH - RIGHT}`} /><text x={LEFT - 6} y={y(value) + 4} text-anchor="end">{count(value)}</text></g>
        ))}
        {ticks(latest, 6).map((value) => (
          <text x={x(value)} y={HEIGHT - 8} text-anchor="middle">{Number(value.toPrecision(3))} s</text>
        ))}
        {series.map(({ points, colour }) => (
          <path class="curve" style={{ stroke: colour }} d={points.map(([s, v], i) => `${i ? "L" : "M"}${x(s).toFixed(1)} ${y(v).toFixed(1)}`).join("")} />
        ))}
      </svg>
      <figcaption>{series.map(({ name, colour, points }) => (
        <span><i style={{ background: colour }} /> {name} {count(points.at(-1)?.[1] ?? 0)}</span>
      ))}</figcaption>
    </figure>
  );
}

export function Bars({ rows }: { rows: { name: string; value: number; part?: number; note?: string }[] }) {
  const most = Math.max(...rows.map(({ value }) => value), 1);
  return (
    <table class="bars">
      {rows.map(({ name, value, part, note }) => (
        <tr>
          <td>{name}</td>
          <td class="track">
            <i style={{ width: `${(100 * value) / most}%` }} />
            {part !== undefined && <i class="part" style={{ width: `${(100 * part) / most}%` }} />}
          </td>
          <td class="figure">{count(value)}{note && <span class="dim"> {note}</span>}</td>
        </tr>
      ))}
    </table>
  );
}
