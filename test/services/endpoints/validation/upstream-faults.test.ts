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

describe('a healthy deployment', () => {
  test('passes all checks with two calls when no parameters are declared', async () => {
    expect(await scene.checkNew()).toEqual(ALL_PASSED);
    expect(scene.server.received.map(({ call }) => call)).toEqual(['whole', 'stream']);
  });

  test('gets the upstream id of its model in every request', async () => {
    await scene.checkNew();
    expect(scene.server.received.map(({ body }) => body['model'])).toEqual([MODEL, MODEL]);
  });
});

describe('the response to the first call', () => {
  test.each([401, 403])("fails credential_ok with status %i and the upstream's message", async (status) => {
    scene.server.faults.whole = refuse(status);
    expect(await scene.checkNew()).toEqual(
      failsAt('credential_ok', {
        reason: 'upstream_error',
        upstreamMessage: 'The deployment says no',
        upstreamStatus: status,
      }),
    );
  });

  test.each([400, 404, 429, 500, 503])(
    'fails model_answers with status %i and without a retry',
    async (status) => {
      scene.server.faults.whole = refuse(status);
      expect(await scene.checkNew()).toEqual(
        failsAt('model_answers', {
          reason: 'upstream_error',
          upstreamMessage: 'The deployment says no',
          upstreamStatus: status,
        }),
      );
      expect(scene.server.received).toHaveLength(1);
    },
  );

  test('has no message when it is an HTML error page', async () => {
    scene.server.faults.whole = (response) => void response.writeHead(502).end('<html>Bad gateway</html>');
    expect(await scene.checkNew()).toEqual(
      failsAt('model_answers', { reason: 'upstream_error', upstreamStatus: 502 }),
    );
  });

  test('has no message when its JSON lacks error.message', async () => {
    scene.server.faults.whole = (response) => sendJson(response, 404, { detail: 'http://10.0.0.1/secret' });
    expect(await scene.checkNew()).toEqual(
      failsAt('model_answers', { reason: 'upstream_error', upstreamStatus: 404 }),
    );
  });

  test('fails as invalid_response when it is HTML with 200', async () => {
    scene.server.faults.whole = html;
    expect(await scene.checkNew()).toEqual(
      failsAt('model_answers', { reason: 'invalid_response', upstreamStatus: 200 }),
    );
  });

  test('fails as invalid_response when its JSON is cut off', async () => {
    scene.server.faults.whole = (response) => void response.writeHead(200).end('{"choices":[{');
    expect(await scene.checkNew()).toMatchObject(failsAt('model_answers', { reason: 'invalid_response' }));
  });

  test('fails as invalid_response on a redirect, which is not followed', async () => {
    scene.server.faults.whole = (response) =>
      void response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    expect(await scene.checkNew()).toEqual(
      failsAt('model_answers', { reason: 'invalid_response', upstreamStatus: 302 }),
    );
  });

  test('fails model_answers when the connection ends without it', async () => {
    scene.server.faults.whole = (response) => void response.destroy();
    expect(await scene.checkNew()).toEqual(failsAt('model_answers', { reason: 'upstream_error' }));
    expect(scene.server.received).toHaveLength(1);
  });

  test('fails model_answers, not the address, when the port is closed', async () => {
    const base_url = `http://${CLOSED_PORT}/v1`;
    expect(await scene.checkNew({ base_url })).toEqual(
      failsAt('model_answers', { reason: 'upstream_error' }),
    );
  });

  test('fails model_answers when it never comes', async () => {
    scene.server.faults.whole = () => {};
    expect(await scene.checkNew()).toEqual(failsAt('model_answers', { reason: 'upstream_error' }));
  });

  test('fails as model_mismatch with the name of another model', async () => {
    scene.server.model = 'other-70b';
    expect(await scene.checkNew()).toEqual(
      failsAt('model_answers', { reason: 'model_mismatch', actualModel: 'other-70b' }),
    );
  });

  test.each(['tuned-7b', 'tuned-7b-2026-01-01'])('passes with the model name %s', async (model) => {
    scene.server.model = model;
    expect(await scene.checkNew()).toEqual(ALL_PASSED);
  });

  test('passes when it names no model', async () => {
    scene.server.faults.whole = (response) =>
      sendJson(response, 200, completion(MODEL, { model: undefined }));
    expect(await scene.checkNew()).toEqual(ALL_PASSED);
  });
});

describe('the stream of the second call', () => {
  test('fails as invalid_stream when it breaks off', async () => {
    scene.server.faults.stream = (response) => {
      beginEvents(response, [chunk(MODEL, 'O')]);
      response.end();
    };
    expect(await scene.checkNew()).toEqual(failsAt('stream_ok', { reason: 'invalid_stream' }));
  });

  test('fails as invalid_stream when its connection is lost', async () => {
    scene.server.faults.stream = (response) => {
      beginEvents(response, [chunk(MODEL, 'O')]);
      setImmediate(() => response.destroy());
    };
    expect(await scene.checkNew()).toEqual(failsAt('stream_ok', { reason: 'invalid_stream' }));
  });

  test('fails as invalid_stream when it never ends, and is cut', async () => {
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

  test('fails as invalid_stream when it falls silent', async () => {
    scene.server.faults.stream = (response) => beginEvents(response, [chunk(MODEL, 'O')]);
    expect(await scene.checkNew()).toEqual(failsAt('stream_ok', { reason: 'invalid_stream' }));
  });

  test('fails as invalid_stream when a whole response comes instead', async () => {
    scene.server.faults.stream = (response) => sendJson(response, 200, completion(MODEL));
    expect(await scene.checkNew()).toEqual(failsAt('stream_ok', { reason: 'invalid_stream' }));
  });

  test('fails as invalid_stream when it has no choice', async () => {
    scene.server.faults.stream = (response) => sendEvents(response, [counted(MODEL)]);
    expect(await scene.checkNew()).toEqual(failsAt('stream_ok', { reason: 'invalid_stream' }));
  });

  test('fails as upstream_error when it is refused', async () => {
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

describe('reported usage', () => {
  test.each([
    ['none', undefined],
    ['null', null],
    ['zero', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
    ['no completion', { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 }],
  ])('counts as missing when it is %s in the whole response', async (_, usage) => {
    scene.server.faults.whole = (response) => sendJson(response, 200, completion(MODEL, { usage }));
    expect(await scene.checkNew()).toEqual(failsAt('usage_reported', { reason: 'missing_usage' }));
  });

  test('counts as missing when no chunk of the stream has it', async () => {
    scene.server.faults.stream = (response) => sendEvents(response, [chunk(MODEL, 'OK'), end(MODEL)]);
    expect(await scene.checkNew()).toEqual(failsAt('usage_reported', { reason: 'missing_usage' }));
  });
});

describe('parameters that a model declares', () => {
  test('go to the vendor together in one call', async () => {
    const declared_parameters = ['temperature', 'seed', 'stop', 'tools', 'response_format', 'max_tokens'];
    expect(await scene.checkNew({ declared_parameters })).toEqual(ALL_PASSED);
    expect(scene.server.received.map(({ call }) => call)).toEqual(['whole', 'stream', 'parameters']);
    const { body } = scene.server.received[2]!;
    expect(body).toMatchObject({ temperature: 0.5, seed: 1, stop: ['\n\n'] });
    expect(Object.keys(body)).toEqual(expect.arrayContaining(declared_parameters));
  });

  test("fail with the upstream's message when it refuses them", async () => {
    scene.server.faults.parameters = refuse(400, 'seed is not supported');
    expect(await scene.checkNew({ declared_parameters: ['seed'] })).toEqual(
      failsAt('parameters_ok', {
        reason: 'upstream_error',
        upstreamMessage: 'seed is not supported',
        upstreamStatus: 400,
      }),
    );
  });

  test('do not go to the vendor when no value for them is known', async () => {
    expect(await scene.checkNew({ declared_parameters: ['acme_knob'] })).toEqual(ALL_PASSED);
    expect(scene.server.received).toHaveLength(2);
  });
});

describe('an embeddings endpoint', () => {
  const change = { model_id: 'local/embed-1', capability: 'embeddings' } as const;
  const names = ['base_url_allowed', 'credential_ok', 'model_answers', 'usage_reported'];

  test('passes without a stream and without parameters', async () => {
    const checks = await scene.checkNew({ ...change, declared_parameters: ['dimensions'] });
    expect(checks).toEqual(names.map((name) => ({ name, passed: true })));
    expect(scene.server.received.map(({ call }) => call)).toEqual(['embeddings']);
  });

  test('fails without usage', async () => {
    scene.server.faults.embeddings = (response) =>
      sendJson(response, 200, { data: [{ index: 0, embedding: [1] }] });
    expect((await scene.checkNew(change)).at(-1)).toEqual({
      name: 'usage_reported',
      passed: false,
      reason: 'missing_usage',
    });
  });
});
