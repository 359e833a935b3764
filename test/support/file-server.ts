import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FileServer {
  url: string;
  /** Requests so far. */
  requests(): number;
  /** Bytes handed to connections so far. */
  sentBytes(): number;
  close(): Promise<void>;
}

/** The first bytes of an MP4, which is all that the gateway looks at. */
const MP4_START = Buffer.from('000000206674797069736f6d', 'hex');

/** Streams one file that looks like an MP4, made as it is read: for results behind a URL of the provider's. */
export async function serveMp4(bytes: number): Promise<FileServer> {
  const block = Buffer.alloc(64 * 1024);
  let requests = 0;
  let sentBytes = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': `${bytes}` });
    response.write(MP4_START);
    let left = bytes - MP4_START.length;
    const pump = (): void => {
      while (left > 0 && !response.destroyed) {
        const part = block.subarray(0, Math.min(left, block.length));
        left -= part.length;
        sentBytes += part.length;
        if (!response.write(part)) return void response.once('drain', pump);
      }
      response.end();
    };
    pump();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/result.mp4`,
    requests: () => requests,
    sentBytes: () => sentBytes,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
