import { readFile } from 'node:fs/promises';
import { eventually } from '../../support/eventually.ts';

/** A span as the debug exporter of the Collector prints it. */
export interface PrintedSpan {
  /** `Name`, `Kind`, `Trace ID`, `Start time` and so on. */
  fields: Record<string, string>;
  /** `Str(chat)`, `Int(4)` and so on, by name. */
  attributes: Record<string, string>;
  events: { name: string; attributes: Record<string, string> }[];
}

/** What the Collector printed of one request. */
export interface PrintedRequest {
  resource: Record<string, string>;
  spans: PrintedSpan[];
}

/** Waits until the Collector has printed the request in which this text occurs. */
export function printedRequest(text: string): Promise<PrintedRequest> {
  return eventually('the output of the Collector', async () => {
    const log = await readFile(process.env['OTELCOL_TEST_LOG'] ?? '', 'utf8');
    // The exporter's entry ends with a line of its own facts.
    const entry = log.split(/\tinfo\t/).find((one) => one.startsWith('ResourceSpans') && one.includes(text));
    return entry?.includes('\n\t{"resource"') === true ? parseRequest(entry) : undefined;
  });
}

function parseRequest(entry: string): PrintedRequest {
  const [head = '', ...spans] = entry.split(/^\t?\{"resource"/m)[0]!.split(/^Span #\d+$/m);
  return { resource: listIn(head, 'Resource attributes:'), spans: spans.map(parseSpan) };
}

function parseSpan(text: string): PrintedSpan {
  const [own = '', ...events] = text.split(/^SpanEvent #\d+$/m);
  const fields = own.matchAll(/^ {4}(\w[\w ]*?) *: (.*)$/gm);
  return {
    fields: Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, value])),
    attributes: listIn(own, 'Attributes:'),
    events: events.map((event) => ({
      name: /^ +-> Name: (.*)$/m.exec(event)?.[1] ?? '',
      attributes: listIn(event, 'Attributes::'),
    })),
  };
}

/** The lines `-> name: value` that follow a title. */
function listIn(text: string, title: string): Record<string, string> {
  const [, list = ''] = text.split(title);
  const lines = list.split(/^(?! +->).+$/m)[0]!.matchAll(/^ +-> (\S+): (.*)$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value = '']) => [name, value]));
}
