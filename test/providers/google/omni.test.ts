import { afterEach, describe, expect, test } from '@jest/globals';
import { isCertainRefusal } from '../../../domain/provider-error.ts';
import type { VideoOperation, VideoSubmitRequest } from '../../../providers/video-adapter.ts';
import { jsonReply, type Reply } from '../../../upstream/reply.ts';
import { startLoopbackServer } from '../../platform/loopback-server.ts';
import { heldBytes } from '../adapter-jobs.ts';
import { describeLacks } from '../adapter-submit.ts';
import { describeVideoPromises } from '../adapter-suite.ts';
import { MP4 } from '../video-cloud.ts';
import { type GoogleUpstream, startGeminiUpstream } from './upstream.ts';
import { inlineReply } from './video-jobs.ts';

const MEBIBYTE = 1024 ** 2;
const PNG = 'data:image/png;base64,AAAA';
const FIRST = { url: PNG, frameType: 'first_frame' } as const;
const LAST = { url: 'data:image/jpeg;base64,BBBB', frameType: 'last_frame' } as const;

const adapter = describeVideoPromises('google', {
  start: startGeminiUpstream,
  model: 'gemini-omni-1.2-flash',
  running: { state: 'running', vendorStatus: 'in_progress' },
  failedStatus: 'bad_luck',
  afterCancel: 'cancelled',
});
const vendor = () => adapter.client as GoogleUpstream;
afterEach(() => void Object.assign(vendor().videos, { answer: undefined, fileState: 'ACTIVE' }));

/** Submits a job that is answered so once it is made. */
function submitted(answer: (made: Record<string, unknown>) => Reply): Promise<VideoOperation> {
  vendor().videos.answer = answer;
  return adapter.submit();
}

describe('a request for an interaction', () => {
  const shape = { durationSeconds: 8, resolution: '4K', aspectRatio: '9:16', generateAudio: true };
  const format = { type: 'video', delivery: 'uri' };
  const shaped = { ...format, duration: '8s', resolution: '4k', aspect_ratio: '9:16' };
  const references = { inputReferences: [{ kind: 'image' as const, url: PNG }] };
  const png = { type: 'image', mime_type: 'image/png', data: 'AAAA' };
  const jpeg = { type: 'image', mime_type: 'image/jpeg', data: 'BBBB' };

  test.each<[string, Partial<VideoSubmitRequest>, string, object[], object]>([
    ['a text', shape, 'text_to_video', [], shaped],
    ['a first frame', { ...shape, frameImages: [FIRST] }, 'image_to_video', [png], shaped],
    ['two frames', { ...shape, frameImages: [LAST, FIRST] }, 'image_to_video', [png, jpeg], shaped],
    ['a reference', { ...shape, ...references }, 'reference_to_video', [png], shaped],
    ['nothing but a text', {}, 'text_to_video', [], format],
  ])('has the documented fields: %s', async (_, request, task, pictures, responseFormat) => {
    await adapter.submit(request);
    expect(vendor().videos.list().at(-1)?.body).toEqual({
      model: 'gemini-omni-1.2-flash',
      input: [{ type: 'user_input', content: [...pictures, { type: 'text', text: 'A lighthouse' }] }],
      background: true,
      response_format: responseFormat,
      generation_config: { video_config: { task } },
    });
  });

  test('names the interaction that it continues, without a shape', async () => {
    const previousOperation = await adapter.submit();
    await adapter.submit({ ...shape, previousOperation });
    expect(vendor().videos.list().at(-1)?.body).toMatchObject({
      previous_interaction_id: previousOperation['id'],
      response_format: format,
      generation_config: { video_config: { task: 'edit' } },
    });
  });

  describeLacks(adapter, [
    ['a seed', { seed: 7 }],
    ['a video without sound', { generateAudio: false }],
    ['a last frame alone', { frameImages: [LAST] }],
    ['two first frames', { frameImages: [FIRST, FIRST] }],
    ['a last frame after 11 seconds', { frameImages: [FIRST, LAST], durationSeconds: 11 }],
    ['frames beside references', { frameImages: [FIRST], ...references }],
    ['a clip as a reference', { inputReferences: [{ kind: 'video', url: 'https://x.example/a.mp4' }] }],
  ]);

  test.each([
    [400, 'SAFETY', 'Not today.', 'content_policy', 'Not today.'],
    [400, 'invalid_request', 'The prompt was blocked for safety reasons.', 'content_policy', undefined],
    [400, 'API_KEY_SERVICE_BLOCKED', 'Requests are blocked.', 'invalid_request', undefined],
    [404, 'not_found', 'This model models/x is no longer available.', 'not_found', undefined],
  ] as const)('fails with status %d, %s and %j as %s', async (status, code, message, expected, shown) => {
    vendor().upstream.addFaults({ kind: 'status', on: 'create', status, code, message });
    const error = await adapter.failure(adapter.submit());
    expect(error).toMatchObject({ code: expected, retryable: false, isModelGone: expected === 'not_found' });
    if (shown !== undefined) expect(error.publicMessage).toBe(shown);
    expect(isCertainRefusal(error)).toBe(true);
  });
});

const endedWith = (fields: object) => submitted((made) => jsonReply(200, { ...made, ...fields }));
const says = (...content: object[]) => ({ steps: [{ type: 'model_output', content }] });

describe('an interaction that has ended', () => {
  const tokens = { video_tokens: '57920', audio_tokens: '0', input_tokens: '21', text_tokens: '412' };
  const words = { type: 'text', text: 'I cannot show this person. See https://policies.example.' };
  const failed = { state: 'failed', publicMessage: 'The provider could not generate the video' };

  const unsaid = 'The provider made no video; its filters may have stopped it';
  const given = { type: 'user_input', content: [{ type: 'video', uri: 'https://x.example/a' }] };
  const silent = { state: 'failed', vendorStatus: 'no_video', publicMessage: unsaid };
  const said = { ...silent, publicMessage: 'I cannot show this person. See [link]' };

  test.each<[string, object, object]>([
    ['words in place of a video', says(words), said],
    ['words that are too long', says({ ...words, text: 'A'.repeat(5_000) }), silent],
    ['neither video nor words', { steps: [given] }, silent],
    ['no steps', { steps: 'none' }, silent],
    ['the end of its budget', { status: 'budget_exceeded' }, { ...failed, vendorStatus: 'budget_exceeded' }],
    ['a question', { status: 'requires_action' }, { ...failed, vendorStatus: 'requires_action' }],
    ['an unknown field', { surprise: [{}] }, { state: 'completed' }],
    ['a status to come', { status: 'rendering' }, { state: 'running', vendorStatus: 'rendering' }],
  ])('has its state, and what is billed: %s', async (_, fields, status) => {
    const found = await adapter.status(await endedWith(fields));
    expect(found).toMatchObject(found.state === 'running' ? status : { ...status, report: tokens });
  });

  const modalities = [
    { modality: 'VIDEO', tokens: '17376' },
    { modality: 'thought', tokens: '412' },
    { modality: 'text', tokens: 8 },
  ];
  const mixed = { total_input_tokens: '30', total_thought_tokens: 5, output_tokens_by_modality: modalities };
  const report = { video_tokens: '17376', audio_tokens: '0', input_tokens: '30', text_tokens: '420' };
  const thoughtless = { output_tokens_by_modality: [{ modality: 'video', tokens: 9 }] };

  test.each<[string, unknown, object]>([
    ['numbers as text, and thoughts in the list', mixed, { report }],
    ['no thoughts', thoughtless, { report: { video_tokens: '9', text_tokens: '0' } }],
    ['nothing', 'none', { outputs: [{}] }],
  ])('reports tokens of %s', async (_, usage, facts) => {
    const status = await adapter.status(await endedWith({ usage }));
    expect(status).toMatchObject({ state: 'completed', ...facts });
    expect('report' in status).toBe('report' in facts);
  });

  test('goes on while its file is processed, and fails with its file', async () => {
    vendor().videos.fileState = 'PROCESSING';
    const operation = await adapter.submit();
    expect(await adapter.status(operation)).toMatchObject({
      state: 'running',
      vendorStatus: 'file_processing',
    });
    vendor().videos.fileState = 'FAILED';
    expect(await adapter.status(operation)).toMatchObject({ ...failed, vendorStatus: 'file_failed' });
  });

  test('fails as not_found when its file has expired', async () => {
    const uri = `${vendor().url}/v1beta/files/gone:download?alt=media`;
    const error = await adapter.failure(adapter.ended(await endedWith(says({ type: 'video', uri }))));
    expect(error).toMatchObject({ code: 'not_found', retryable: false });
  });

  test('has a video at another host, which does not get the key', async () => {
    const headers: unknown[] = [];
    const other = await startLoopbackServer((request, response) => {
      headers.push(request.headers['x-goog-api-key']);
      response.writeHead(200, { 'content-type': 'video/mp4' }).end(MP4);
    });
    const uri = `${other.origin}/v1beta/files/abc:download`;
    expect(await adapter.file(await endedWith(says({ type: 'video', uri })))).toEqual(MP4);
    await other.close();
    expect(headers).toEqual([undefined]);
  });
});

describe('a video in base64 within the answer', () => {
  const base64 = MP4.toString('base64');
  const inline = (...parts: string[]) =>
    submitted((made) =>
      inlineReply(
        made,
        parts.map((part) => Buffer.from(part)),
      ),
    );

  test.each<[string, string[]]>([
    ['plain', [base64]],
    ['with escapes', [base64.replaceAll('/', '\\/').replaceAll('=', '\\u003d')]],
    ['in lines', [base64.replaceAll(/.{76}/g, '$&\\n')]],
    ['in small pieces', base64.replaceAll('A', '\\u0041').match(/.{1,7}/g) ?? []],
  ])('opens as a decoded file: %s', async (_, parts) => {
    const operation = await inline(...parts);
    const { body, contentType, bytes } = await adapter.open(operation);
    expect([contentType, bytes]).toEqual(['video/mp4', undefined]);
    expect(Buffer.concat(await body.toArray()).equals(MP4)).toBe(true);
    const report = { video_tokens: '57920' };
    expect(await adapter.ended(operation)).toMatchObject({ state: 'completed', report });
  });

  test.each<[string, string, ((made: Record<string, unknown>) => Reply) | undefined]>([
    ['not_found', 'has changed', undefined],
    ['connection_lost', 'is cut', (made) => inlineReply(made, cutAfter(Buffer.from(base64)))],
  ])('fails as %s when its answer %s before it is read', async (code, _, later) => {
    const operation = await inline(base64);
    const status = await adapter.ended(operation);
    vendor().videos.answer = later;
    const [output] = status.state === 'completed' ? status.outputs : [];
    const { body } = await adapter.connect().openOutput(output!, operation, adapter.newContext());
    expect(await adapter.failure(body.toArray())).toMatchObject({ code });
  });

  test('stays out of memory with 200 MB, for the status and for the file', async () => {
    const before = heldBytes();
    let most = 0;
    const pieces = function* (): Generator<Buffer> {
      const piece = Buffer.alloc(MEBIBYTE, 'A');
      for (let sent = 0; sent < 200; sent += 1) {
        // Seldom: a collection of a test process's whole heap takes seconds.
        if (sent % 40 === 39) most = Math.max(most, heldBytes() - before);
        yield piece;
      }
    };
    const { body } = await adapter.open(await submitted((made) => inlineReply(made, pieces())));
    let read = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) read += chunk.length;
    expect(read).toBe((200 * MEBIBYTE * 3) / 4);
    expect(most).toBeLessThan(50 * MEBIBYTE);
  });
});

function* cutAfter(piece: Buffer): Generator<Buffer> {
  yield piece;
  throw new Error('the connection is cut');
}
