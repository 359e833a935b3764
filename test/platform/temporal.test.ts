import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createSecureServer, createServer } from 'node:http2';
import type { Http2Server, IncomingHttpHeaders, ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectTemporal, nativeConnectionOptions } from '../../platform/temporal.ts';
import { createSelfSignedCertificate } from './self-signed-certificate.ts';
import type { Certificate } from './self-signed-certificate.ts';

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/**
 * Speaks just enough gRPC to be connected to: answers every call with UNIMPLEMENTED, as a server too old for
 * GetSystemInfo does, which clients accept. With a certificate it wants one of the client too.
 */
async function startFrontend(certificate?: Certificate) {
  const calls: IncomingHttpHeaders[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const server: Http2Server =
    certificate === undefined
      ? createServer()
      : createSecureServer({
          cert: certificate.certificate,
          key: certificate.privateKey,
          ca: certificate.certificate,
          requestCert: true,
          rejectUnauthorized: true,
        });
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (stream, headers) => {
    calls.push(headers);
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '12' },
      { endStream: true },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(
    () =>
      new Promise((resolve) => {
        for (const session of sessions) session.destroy();
        server.close(() => resolve());
      }),
  );
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

async function writePem(name: string, text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-temporal-'));
  cleanups.push(() => rm(directory, { recursive: true }));
  const path = join(directory, name);
  await writeFile(path, text);
  return path;
}

describe('connectTemporal', () => {
  test('connects in plain text and sends the API key', async () => {
    const { address, calls } = await startFrontend();
    const connection = await connectTemporal({
      address,
      namespace: 'default',
      apiKey: 'cloud-key',
      tls: false,
    });
    cleanups.push(() => connection.close());
    expect(calls[0]).toMatchObject({ authorization: 'Bearer cloud-key' });
  });

  test('connects with mutual TLS, under the name the certificate has', async () => {
    const certificate = createSelfSignedCertificate('temporal.example');
    const { address, calls } = await startFrontend(certificate);
    const certPath = await writePem('cert.pem', certificate.certificate);
    const connection = await connectTemporal({
      address,
      namespace: 'default',
      tls: {
        serverNameOverride: 'temporal.example',
        caPath: certPath,
        clientCertPath: certPath,
        clientKeyPath: await writePem('key.pem', certificate.privateKey),
      },
    });
    cleanups.push(() => connection.close());
    expect(calls.length).toBeGreaterThan(0);
  });

  test('returns at once when lazy, and connects at the first call', async () => {
    const { address, calls } = await startFrontend();
    const connection = await connectTemporal({ address, namespace: 'default', tls: false }, { lazy: true });
    cleanups.push(() => connection.close());
    expect(calls).toEqual([]);
    await connection.ensureConnected();
    expect(calls.length).toBeGreaterThan(0);
  });

  test('does not need a server when lazy', async () => {
    const connection = await connectTemporal(
      { address: '127.0.0.1:1', namespace: 'default', tls: false },
      { lazy: true },
    );
    await connection.close();
  });

  test('rejects when a certificate file is missing, lazy or not', async () => {
    const config = { address: '127.0.0.1:1', namespace: 'default', tls: { caPath: '/nowhere/ca.pem' } };
    await expect(connectTemporal(config, { lazy: true })).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('the options of a worker connection', () => {
  test('contain only the address without TLS and API key', async () => {
    expect(await nativeConnectionOptions({ address: 'temporal:7233', namespace: 'x', tls: false })).toEqual({
      address: 'temporal:7233',
      tls: false,
    });
  });

  test('contain the contents of the certificate files', async () => {
    const path = await writePem('any.pem', 'PEM');
    const config = {
      address: 'temporal:7233',
      namespace: 'x',
      apiKey: 'k',
      tls: { serverNameOverride: 't.example', caPath: path, clientCertPath: path, clientKeyPath: path },
    };
    const pem = Buffer.from('PEM');
    expect(await nativeConnectionOptions(config)).toEqual({
      address: 'temporal:7233',
      apiKey: 'k',
      tls: {
        serverNameOverride: 't.example',
        serverRootCACertificate: pem,
        clientCertPair: { crt: pem, key: pem },
      },
    });
  });
});
