import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  beginEvents,
  chunk,
  completion,
  counted,
  end,
  type Fault,
  sendEvents,
  sendJson,
} from '../../../support/model-server.ts';
import { CLOSED_PORT } from '../../../support/replica.ts';
import { ALL_PASSED, failsAt, startValidationScene, type ValidationScene } from './validation-scene.ts';

const MODEL = 'acme/tuned-7b';

let scene: ValidationScene;

beforeAll(async () => {
  scene = await startValidationScene();
});

afterAll(() => scene.close());

beforeEach(() => scene.server.reset());

const refuse =
  (status: number, message = 'The deployment says no'): Fault =>
  (response) =>
    sendJson(response, status, { error: { message, type: 'some_error' } });

const html: Fault = (response) =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Welcome</html>');

describe('a deployment that behaves', () => {
  test('passes all checks with two calls when no parameters are declared', async () => {
    expect(await scene.checkNew()).toEqual(ALL_PASSED);
    expect(scene.server.received.map(({ call }) => call)).toEqual(['whole', 'stream']);
  });

  test('is asked for the upstream id of its model', async () => {
    await scene.checkNew();
    expect(scene.server.received.map(({ body }) => body['model'])).toEqual([MODEL, MODEL]);
  });
});

describe('the first call', () => {
  test.each([401, 403])('%i fails credential_ok, with the words of the upstream', async (status) => {
    scene.server.faults.whole = refuse(status);
    expect(await scene.checkNew()).toEqual(
      failsAt('credential_ok', {
        reason: 'upstream_error',
        upstreamMessage: 'The deployment says no',
        upstreamStatus: status,
      }),
    );
  });

  test.each([400, 404, 429, 500, 503])('%i fails model_answers and is not repeated', async (status) => {
    scene.server.faults.whole = refuse(status);
    expect(await scene.checkNew()).toEqual(
      failsAt('model_answers', {
        reason: 'upstream_error',
        upstreamMessage: 'The deployment says no',
        upstreamStatus: status,
      }),
    );
    expect(scene.server.received).toHaveLength(1);
  });

  test('an error page of HTML is no message', async () => {
    scene.server.faults.whole = (response) => void response.writeHead(502).end('<html>Bad gateway</html>');
    expect(await scene.checkNew()).toEqual(
      failsAt('model_answers', { reason: 'upstream_error', upstreamStatus: 502 }),
    );
  });

  test('JSON without error.message has no message', async () => {
    scene.server.faults.whole = (response) => sendJson(response, 404, { detail: 'http://10.0.0.1/secret' });
    expect(await scene.checkNew()).toEqual(
      failsAt('model_answers', { reason: 'upstream_error', upstreamStatus: 404 }),
    );
  });

  test('HTML with 200 is an invalid response', async () => {
    scene.server.faults.whole = html;
    expect(await scene.checkNew()).toEqual(
      failsAt('model_answers', { reason: 'invalid_response', upstreamStatus: 200 }),
    );
  });

  test('JSON that is cut off is an invalid response', async () => {
    scene.server.faults.whole = (response) => void response.writeHead(200).end('{"choices":[{');
    expect(await scene.checkNew()).toMatchObject(failsAt('model_answers', { reason: 'invalid_response' }));
  });

  test('a redirect is not followed', async () => {
    scene.server.faults.whole = (response) =>
      void response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    expect(await scene.checkNew()).toEqual(
      failsAt('model_answers', { reason: 'invalid_response', upstreamStatus: 302 }),
    );
  });

  test('a connection that ends without an answer fails model_answers', async () => {
    scene.server.faults.whole = (response) => void response.destroy();
    expect(await scene.checkNew()).toEqual(failsAt('model_answers', { reason: 'upstream_error' }));
    expect(scene.server.received).toHaveLength(1);
  });

  test('a port that nobody listens on fails model_answers, not the address', async () => {
    const base_url = `http://${CLOSED_PORT}/v1`;
    expect(await scene.checkNew({ base_url })).toEqual(
      failsAt('model_answers', { reason: 'upstream_error' }),
    );
  });

  test('silence ends after 20 seconds', async () => {
    scene.server.faults.whole = () => {};
    expect(await scene.checkNew()).toEqual(failsAt('model_answers', { reason: 'upstream_error' }));
  });

  test('an answer of another model fails with its name', async () => {
    scene.server.model = 'other-70b';
    expect(await scene.checkNew()).toEqual(
      failsAt('model_answers', { reason: 'model_mismatch', actualModel: 'other-70b' }),
    );
  });

  test.each(['tuned-7b', 'tuned-7b-2026-01-01'])('an answer of %s is one of the model', async (model) => {
    scene.server.model = model;
    expect(await scene.checkNew()).toEqual(ALL_PASSED);
  });

  test('an answer that names no model passes', async () => {
    scene.server.faults.whole = (response) =>
      sendJson(response, 200, completion(MODEL, { model: undefined }));
    expect(await scene.checkNew()).toEqual(ALL_PASSED);
  });
});

describe('the stream', () => {
  test('that breaks off is invalid', async () => {
    scene.server.faults.stream = (response) => {
      beginEvents(response, [chunk(MODEL, 'O')]);
      response.end();
    };
    expect(await scene.checkNew()).toEqual(failsAt('stream_ok', { reason: 'invalid_stream' }));
  });

  test('whose connection is lost is invalid', async () => {
    scene.server.faults.stream = (response) => {
      beginEvents(response, [chunk(MODEL, 'O')]);
      setImmediate(() => response.destroy());
    };
    expect(await scene.checkNew()).toEqual(failsAt('stream_ok', { reason: 'invalid_stream' }));
  });

  test('that never ends is cut, and is invalid', async () => {
    scene.server.faults.stream = (response) => {
      beginEvents(response, []);
      const more = () => {
        while (!response.destroyed && response.write(`data: ${JSON.stringify(chunk(MODEL, 'a b'))}\n\n`));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    expect(await scene.checkNew()).toEqual(failsAt('stream_ok', { reason: 'invalid_stream' }));
  });

  test('that falls silent is cut after 20 seconds, and is invalid', async () => {
    scene.server.faults.stream = (response) => beginEvents(response, [chunk(MODEL, 'O')]);
    expect(await scene.checkNew()).toEqual(failsAt('stream_ok', { reason: 'invalid_stream' }));
  });

  test('in place of which a whole answer comes is invalid', async () => {
    scene.server.faults.stream = (response) => sendJson(response, 200, completion(MODEL));
    expect(await scene.checkNew()).toEqual(failsAt('stream_ok', { reason: 'invalid_stream' }));
  });

  test('without a choice is invalid', async () => {
    scene.server.faults.stream = (response) => sendEvents(response, [counted(MODEL)]);
    expect(await scene.checkNew()).toEqual(failsAt('stream_ok', { reason: 'invalid_stream' }));
  });

  test('that is refused is an error of the upstream', async () => {
    scene.server.faults.stream = refuse(400, 'no streams here');
    expect(await scene.checkNew()).toEqual(
      failsAt('stream_ok', {
        reason: 'upstream_error',
        upstreamMessage: 'no streams here',
        upstreamStatus: 400,
      }),
    );
  });
});

describe('usage', () => {
  test.each([
    ['none', undefined],
    ['null', null],
    ['zero', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
    ['no completion', { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 }],
  ])('that is %s in the whole answer is missing', async (_, usage) => {
    scene.server.faults.whole = (response) => sendJson(response, 200, completion(MODEL, { usage }));
    expect(await scene.checkNew()).toEqual(failsAt('usage_reported', { reason: 'missing_usage' }));
  });

  test('that no chunk of the stream has is missing', async () => {
    scene.server.faults.stream = (response) => sendEvents(response, [chunk(MODEL, 'OK'), end(MODEL)]);
    expect(await scene.checkNew()).toEqual(failsAt('usage_reported', { reason: 'missing_usage' }));
  });
});

describe('declared parameters', () => {
  test('are all sent in one call', async () => {
    const declared_parameters = ['temperature', 'seed', 'stop', 'tools', 'response_format', 'max_tokens'];
    expect(await scene.checkNew({ declared_parameters })).toEqual(ALL_PASSED);
    expect(scene.server.received.map(({ call }) => call)).toEqual(['whole', 'stream', 'parameters']);
    const { body } = scene.server.received[2]!;
    expect(body).toMatchObject({ temperature: 0.5, seed: 1, stop: ['\n\n'] });
    expect(Object.keys(body)).toEqual(expect.arrayContaining(declared_parameters));
  });

  test('that the upstream refuses fail with its words', async () => {
    scene.server.faults.parameters = refuse(400, 'seed is not supported');
    expect(await scene.checkNew({ declared_parameters: ['seed'] })).toEqual(
      failsAt('parameters_ok', {
        reason: 'upstream_error',
        upstreamMessage: 'seed is not supported',
        upstreamStatus: 400,
      }),
    );
  });

  test('that have no known value are not sent', async () => {
    expect(await scene.checkNew({ declared_parameters: ['acme_knob'] })).toEqual(ALL_PASSED);
    expect(scene.server.received).toHaveLength(2);
  });
});

describe('embeddings', () => {
  const change = { model_id: 'local/embed-1', capability: 'embeddings' } as const;
  const names = ['base_url_allowed', 'credential_ok', 'model_answers', 'usage_reported'];

  test('pass without a stream and without parameters', async () => {
    const checks = await scene.checkNew({ ...change, declared_parameters: ['dimensions'] });
    expect(checks).toEqual(names.map((name) => ({ name, passed: true })));
    expect(scene.server.received.map(({ call }) => call)).toEqual(['embeddings']);
  });

  test('without usage fail', async () => {
    scene.server.faults.embeddings = (response) =>
      sendJson(response, 200, { data: [{ index: 0, embedding: [1] }] });
    expect((await scene.checkNew(change)).at(-1)).toEqual({
      name: 'usage_reported',
      passed: false,
      reason: 'missing_usage',
    });
  });
});
