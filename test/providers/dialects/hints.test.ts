import { describe, expect, test } from '@jest/globals';
import type { TextRequest } from '../../../providers/chat-adapter.ts';
import { vendorError } from '../../../providers/vendor-error.ts';
import { createHintFilter } from '../../../providers/dialects/hints.ts';
import { CONTEXT } from './scripted-chat.ts';

const HINTS = {
  metadata: { a: 'b' },
  prompt_cache_key: 'session',
  safety_identifier: 'user',
  seed: 7,
  prediction: { type: 'content', content: 'x' },
};
const REQUEST: TextRequest = { model: 'm', messages: [], ...HINTS };

const refusal = (body: unknown, status = 400) =>
  vendorError({ status, headers: {}, text: typeof body === 'string' ? body : JSON.stringify(body) }, []);
const openai = (message: string) => refusal({ error: { message, type: 'invalid_request_error' } });

/** An endpoint that refuses requests as `judge` says. Keeps the requests that it received. */
function endpoint(judge: (request: TextRequest) => Error | undefined) {
  const received: TextRequest[] = [];
  return {
    received,
    async send(request: TextRequest) {
      received.push(request);
      const error = judge(request);
      if (error !== undefined) throw error;
      return 'answer';
    },
  };
}

const refusing = (name: string, error: Error) =>
  endpoint((request) => (request[name] === undefined ? undefined : error));

/** Refusals of a field, in the words of vendors and of the frameworks that they use. */
const REFUSALS: [name: string, error: Error][] = [
  ['prompt_cache_key', openai('Unrecognized request argument supplied: prompt_cache_key')],
  ['seed', openai("Unknown parameter: 'seed'.")],
  ['seed', openai("Unsupported parameter: 'seed' is not supported with this model.")],
  ['metadata', openai("The 'metadata' parameter is only allowed when 'store' is enabled.")],
  ['prompt_cache_key', openai("property 'prompt_cache_key' is unsupported")],
  ['safety_identifier', openai('safety_identifier: Extra inputs are not permitted')],
  ['prediction', openai('This model does not support prediction')],
  ['metadata', openai("unknown field: parameter 'metadata' is not a valid field")],
  ['metadata', refusal({ message: '#: extraneous key [metadata] is not permitted' })],
  ['seed', refusal('Failed to deserialize the JSON body: unknown field `seed`, expected one of', 422)],
  ['safety_identifier', refusal({ message: 'body must NOT have additional properties: safety_identifier' })],
  [
    'prompt_cache_key',
    refusal(
      { detail: [{ loc: ['body', 'prompt_cache_key'], msg: 'Extra inputs are not permitted', input: 'x' }] },
      422,
    ),
  ],
  ['metadata', refusal([{ error: { code: 400, message: 'Unknown name "metadata": Cannot find field.' } }])],
];

describe('a hint that an endpoint refuses', () => {
  test.each(REFUSALS)('leaves the request and is reported: %s (%s)', async (name, error) => {
    const { received, send } = refusing(name, error);
    const droppedFields: string[] = [];
    const filter = createHintFilter();
    await expect(filter(REQUEST, { ...CONTEXT, droppedFields }, send)).resolves.toBe('answer');
    const { [name]: _, ...others } = REQUEST;
    expect(received).toEqual([REQUEST, others]);
    expect(droppedFields).toEqual([name]);
  });

  test('stays out of later requests to the same model only', async () => {
    const { received, send } = refusing('seed', openai("Unknown parameter: 'seed'."));
    const filter = createHintFilter();
    await filter(REQUEST, { ...CONTEXT, droppedFields: [] }, send);
    const droppedFields: string[] = [];
    await filter(REQUEST, { ...CONTEXT, droppedFields }, send);
    expect(droppedFields).toEqual(['seed']);
    expect(received).toHaveLength(3);
    await filter({ ...REQUEST, model: 'other' }, { ...CONTEXT, droppedFields: [] }, send);
    expect(received).toHaveLength(5);
  });

  test('leaves room for further refused hints, which are left out one by one', async () => {
    const { received, send } = endpoint((request) => {
      const name = ['seed', 'metadata', 'prediction'].find((one) => request[one] !== undefined);
      return name === undefined ? undefined : openai(`Unknown parameter: '${name}'.`);
    });
    const droppedFields: string[] = [];
    await createHintFilter()(REQUEST, { ...CONTEXT, droppedFields }, send);
    expect(droppedFields).toEqual(['seed', 'metadata', 'prediction']);
    expect(received).toHaveLength(4);
  });
});

describe('a refused request', () => {
  const other = openai('The messages are empty.');
  test.each<[string, Error]>([
    ['of a value', openai('metadata.a: must have at most 512 characters')],
    ['of a type', openai("Invalid type for 'seed': expected an integer, but got a decimal.")],
    ['of another field', openai("Unknown parameter: 'top_a'.")],
    ['without a name', other],
    ['of the account', refusal({ error: { message: "Unknown project 'metadata'" } }, 401)],
    ['by an overloaded server', refusal({ error: { message: 'seed is not supported' } }, 503)],
  ])('an error %s reaches the caller after one attempt', async (_what, error) => {
    const { received, send } = endpoint(() => error);
    const droppedFields: string[] = [];
    await expect(createHintFilter()(REQUEST, { ...CONTEXT, droppedFields }, send)).rejects.toBe(error);
    expect(received).toEqual([REQUEST]);
  });

  test('remembers no hint if the request fails without the hint as well', async () => {
    const { received, send } = endpoint((request) =>
      request['seed'] === undefined ? other : openai("Unknown parameter: 'seed'."),
    );
    const filter = createHintFilter();
    await expect(filter(REQUEST, { ...CONTEXT, droppedFields: [] }, send)).rejects.toBe(other);
    await expect(filter(REQUEST, { ...CONTEXT, droppedFields: [] }, send)).rejects.toBe(other);
    expect(received.map(({ seed }) => seed)).toEqual([7, undefined, 7, undefined]);
  });

  test('reaches a caller who requires every parameter, even if the hint is known as refused', async () => {
    const error = openai("Unknown parameter: 'seed'.");
    const { received, send } = refusing('seed', error);
    const filter = createHintFilter(['prediction']);
    await filter(REQUEST, { ...CONTEXT, droppedFields: [] }, send);
    await expect(filter(REQUEST, CONTEXT, send)).rejects.toBe(error);
    expect(received.at(-1)).toEqual(REQUEST);
  });
});
