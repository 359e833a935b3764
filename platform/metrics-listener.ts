/** Serves `GET /metrics` on a port of its own. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from './logger.ts';

export interface MetricsListenerOptions {
  /** The variable that sets the port, which errors name. */
  variable: string;
  host: string;
  /** Undefined: nothing listens. 0: any free port. */
  port: number | undefined;
  /** Resolves with all metrics in the text format of Prometheus. */
  text(): Promise<string>;
  logger: Pick<Logger, 'info' | 'error'>;
}

export interface MetricsListener {
  close(): Promise<void>;
}

/**
 * Answers `GET /metrics` on a separate port that no customer reaches. Rejects if the port is in use: otherwise nobody
 * would notice the missing metrics until they are needed.
 */
export async function listenForMetrics(options: MetricsListenerOptions): Promise<MetricsListener> {
  const { port, host, variable, logger } = options;
  if (port === undefined) return { close: async () => {} };
  const server = createMetricsServer(options);
  try {
    await listening(server, port, host);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'another process listens there' : String(code);
    throw new Error(`${variable} is ${port}, but nothing can listen on ${host}:${port}: ${reason}`, {
      cause,
    });
  }
  logger.info({ metricsPort: (server.address() as AddressInfo).port }, 'metrics are shown');
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Scrapes in progress are cut off, because the process closes what the metrics are read from.
        server.closeAllConnections();
      }),
  };
}

function createMetricsServer({ text, logger }: MetricsListenerOptions): Server {
  return createServer((request, response) => {
    const answer = (status: number, body: string): void => {
      response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(body);
    };
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics')
      return answer(404, 'Only GET /metrics is answered here.\n');
    text().then(
      (body) => answer(200, body),
      (error: unknown) => {
        logger.error({ err: error }, 'metrics could not be read');
        answer(500, 'Metrics could not be read; the log says why.\n');
      },
    );
  });
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
