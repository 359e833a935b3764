/** Page sizes, equal to the product's. */
const PAGES = { Users: 200, Groups: 100 };

/** Reads all people and groups of a source page by page, and only parses the JSON. Returns the seconds. */
export async function readBare(baseUrl: string): Promise<number> {
  const startedAtMs = performance.now();
  for (const [resource, count] of Object.entries(PAGES)) await readList(`${baseUrl}/${resource}`, count);
  return (performance.now() - startedAtMs) / 1_000;
}

async function readList(url: string, count: number): Promise<void> {
  for (let read = 0; ;) {
    const response = await fetch(`${url}?startIndex=${read + 1}&count=${count}`);
    const page = (await response.json()) as { totalResults: number; Resources: object[] };
    read += page.Resources.length;
    if (read >= page.totalResults) return;
    if (page.Resources.length === 0) throw new Error(`${url} ended after ${read} of ${page.totalResults}`);
  }
}
