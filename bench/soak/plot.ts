/** A plot of one line over time as SVG, which browsers can show. */
export interface Plot {
  title: string;
  /** Ascending x in minutes; y in mebibytes. */
  points: { x: number; y: number }[];
  /** A horizontal line that the values must not exceed. */
  bar: number;
}

const WIDTH = 800;
const HEIGHT = 320;
const MARGIN = 48;

export function renderPlot({ title, points, bar }: Plot): string {
  const maxX = Math.max(1, ...points.map(({ x }) => x));
  const maxY = Math.ceil(Math.max(bar, ...points.map(({ y }) => y)) / 100) * 100;
  const left = (x: number): number => MARGIN + (x / maxX) * (WIDTH - 2 * MARGIN);
  const top = (y: number): number => HEIGHT - MARGIN - (y / maxY) * (HEIGHT - 2 * MARGIN);
  const line = points.map(({ x, y }) => `${left(x).toFixed(1)},${top(y).toFixed(1)}`).join(' ');
  const levels = Array.from({ length: maxY / 100 + 1 }, (_, n) => n * 100);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>
<text x="${MARGIN}" y="24" font-size="14">${title}</text>
${levels.map((y) => `<line x1="${MARGIN}" x2="${WIDTH - MARGIN}" y1="${top(y)}" y2="${top(y)}" stroke="#ddd"/><text x="8" y="${top(y) + 4}">${y} MiB</text>`).join('\n')}
<line x1="${MARGIN}" x2="${WIDTH - MARGIN}" y1="${top(bar)}" y2="${top(bar)}" stroke="#c33" stroke-dasharray="6 4"/>
<polyline fill="none" stroke="#247" stroke-width="1.5" points="${line}"/>
<text x="${WIDTH - MARGIN}" y="${HEIGHT - 16}" text-anchor="end">${maxX.toFixed(0)} minutes</text>
</svg>
`;
}
