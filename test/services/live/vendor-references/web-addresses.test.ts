/** Checks which URLs in a request count as addresses that a server would call. */
import { describe, expect, test } from '@jest/globals';
import { urlsIn } from '../../../../services/live/urls/url-places.ts';
import { findReferences } from '../../../../services/live/vendor-references/find-references.ts';

/** Returns the paths of the references in a request whose conversation is in these fields, as in most dialects. */
function pathsIn(given: object): string[] {
  const body = { ...given };
  const fetched = urlsIn(body, { hasMedia: true }, ['system', 'messages', 'input']);
  return findReferences(body, fetched).map(({ path }) => path);
}

const said = (content: unknown, role = 'user') => ({ messages: [{ role, content }] });
const inInput = (...input: object[]) => ({ input });
const withTool = (tool: object) => ({ tools: [tool] });
const call = (text: string) => ({ id: 'c', type: 'function', function: { name: 'f', arguments: text } });

const LINK = 'https://a.example';

describe('a search for addresses', () => {
  test.each<[string, object, string]>([
    ['a picture of a request', { image_url: 'https://a.example' }, 'body.image_url'],
    [
      'a picture of a request, in an object',
      { image_url: { url: 'https://a.example' } },
      'body.image_url.url',
    ],
    ['pictures of a request', { image_url: ['data:,', '/etc/passwd'] }, 'body.image_url.1'],
    ['sound of a request', { audio: { url: 'file:///etc/passwd' } }, 'body.audio.url'],
    ['a voice of a request', { voice: 'https://a.example' }, 'body.voice'],
    [
      'a video in options',
      { provider: { options: { local: { video_url: 'https://a.example' } } } },
      'body.provider.options.local.video_url',
    ],
    [
      'a file in options',
      { provider: { options: { local: { references: [{ file: 'https://a.example' }] } } } },
      'body.provider.options.local.references.0.file',
    ],
    ['a clip of a request', { clip: 's3://bucket/a' }, 'body.clip'],
    ['a clip of a request, in an object', { clip: { url: 'https://a.example' } }, 'body.clip.url'],
    [
      'a picture in a tool',
      withTool({ type: 'image_generation', input_image_mask: { image_url: 'https://a.example' } }),
      'body.tools.0.input_image_mask.image_url',
    ],
    ['a clip', said([{ type: 'clip', clip: 'https://a.example' }]), 'body.messages.0.content.0.clip'],
    [
      'a clip in an object',
      said([{ type: 'clip', clip: { at: 'https://a.example' } }]),
      'body.messages.0.content.0.clip.at',
    ],
    [
      'a clip in options',
      { provider: { options: { local: { messages: [{ clip: 'https://a.example' }] } } } },
      'body.provider.options.local.messages.0.clip',
    ],
    [
      'frames',
      said([{ type: 'video_frames', frames: ['x', ['https://a.example']] }]),
      'body.messages.0.content.0.frames.1.0',
    ],
    [
      'pictures beside a message',
      { messages: [{ content: 'Hi', images: ['https://a.example'] }] },
      'body.messages.0.images.0',
    ],
    [
      'a picture in a field of a message that is not searched for media',
      { messages: [{ content: 'Hi', extra: [{ image_url: 'https://a.example' }] }] },
      'body.messages.0.extra.0.image_url',
    ],
    [
      'a second address of a picture',
      said([{ type: 'image_url', image_url: { url: 'data:,', fallback: 'https://a.example' } }]),
      'body.messages.0.content.0.image_url.fallback',
    ],
  ])('finds the one in %s', (_what, body, path) => {
    expect(pathsIn(body)).toEqual([path]);
  });
});

describe('a search for addresses, in text that nobody calls,', () => {
  test.each<[string, object]>([
    [
      'media in the body',
      { image_url: 'data:,', voice: 'alloy', ...said([{ type: 'clip', clip: 'AAAA', at: 'data:,' }]) },
    ],
    [
      'a request whose texts are URLs',
      {
        prompt: LINK,
        system: LINK,
        instructions: LINK,
        query: LINK,
        stop: [LINK],
        user: LINK,
        metadata: { link: LINK },
        documents: [LINK],
        input: [LINK],
        search_domain_filter: [LINK],
        prediction: { type: 'content', content: LINK },
      },
    ],
    [
      'a conversation whose texts are URLs',
      {
        messages: [
          { role: 'user', content: LINK, name: LINK },
          { role: 'user', content: [{ type: 'text', text: LINK }, LINK] },
          { role: 'assistant', reasoning_content: LINK, refusal: LINK, tool_calls: [call(LINK)] },
          { role: 'tool', tool_call_id: 'c', content: [{ type: 'tool_result', content: LINK }] },
        ],
      },
    ],
    ['an answer of a function that is a URL', inInput({ type: 'function_call_output', output: LINK })],
    [
      'an answer of a shell that is a URL',
      said([{ type: 'bash_code_execution_tool_result', content: { stdout: LINK, stderr: LINK } }]),
    ],
    ['a text that is a document', said([{ type: 'document', source: { type: 'text', data: LINK } }])],
    [
      'links that say where a text was found',
      said([
        { type: 'text', text: 'x', citations: [{ type: 'web_search_result_location', url: LINK }] },
        {
          type: 'text',
          text: 'x',
          citations: [LINK],
          annotations: [{ type: 'url_citation', url_citation: { url: LINK } }],
        },
        { type: 'search_result', source: LINK, title: LINK, content: [{ type: 'text', text: 'x' }] },
        { type: 'web_search_tool_result', content: [{ type: 'web_search_result', url: LINK, title: LINK }] },
        { type: 'web_fetch_tool_result', content: { type: 'web_fetch_result', url: LINK } },
      ]),
    ],
    [
      'the links of a search that a model made',
      inInput({
        type: 'web_search_call',
        action: { type: 'open_page', url: LINK, sources: [{ url: LINK }] },
      }),
    ],
    [
      'the probabilities of an answer that is a URL',
      inInput({ content: [{ type: 'output_text', text: LINK, logprobs: [{ token: LINK }] }] }),
    ],
    [
      'the link to the standard of a schema',
      withTool({
        type: 'function',
        function: { name: 'f', description: LINK, parameters: { $schema: LINK } },
      }),
    ],
  ])('finds none in %s', (_what, body) => {
    expect(pathsIn(body)).toEqual([]);
  });
});
