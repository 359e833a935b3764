import { describe, expect, test } from '@jest/globals';
import { vendorError } from '../../providers/vendor-error.ts';

const refusal = (status: number, error: object | string) =>
  vendorError({ status, headers: {}, text: typeof error === 'string' ? error : JSON.stringify(error) }, []);
const openAi = (message: string, code?: string) => ({ error: { message, code } });

describe('the error of a model that the vendor lacks', () => {
  test.each<[vendor: string, status: number, body: object]>([
    ['OpenAI', 404, openAi('The model `gpt-4-32k` has been deprecated, learn more here', 'model_not_found')],
    ['Azure', 404, openAi('The API deployment for this resource does not exist.', 'DeploymentNotFound')],
    ['Azure, retired', 410, openAi('Gone')],
    ['Anthropic', 404, { type: 'error', error: { type: 'not_found_error', message: 'model: claude-2.0' } }],
    ['Google', 404, [openAi('models/gemini-1.5-flash is not found for API version v1beta')]],
    ['Google, retired', 404, openAi('This model models/gemini-3-pro-preview is no longer available.')],
    ['Nvidia', 410, { status: 410, detail: "The model 'x/y' has reached its end of life on 2026-08-07" }],
    ['Groq', 400, openAi('The model `llama2-70b` has been decommissioned', 'model_decommissioned')],
    ['DeepSeek', 400, openAi('Model Not Exist', 'invalid_request_error')],
    ['Fireworks', 404, openAi('Model not found, inaccessible, and/or not deployed', 'NOT_FOUND')],
    ['Vertex AI', 404, [openAi('Publisher Model `projects/p/locations/global/models/x` was not found')]],
    ['Moonshot', 404, openAi('Not found the model kimi-k2 or Permission denied')],
    ['Nvidia, not given', 404, { status: 404, detail: "Function '23d4': Not found for account 'Qawm'" }],
    ['OpenRouter', 404, openAi('No endpoints found for acme/one.')],
    ['OpenRouter, unknown', 400, openAi('acme/one is not a valid model ID')],
    ['Mistral', 400, { object: 'error', message: 'Invalid model: x', type: 'invalid_model', code: '1500' }],
    ['Perplexity', 400, { error: { message: "Invalid model 'x'.", type: 'invalid_model', code: 400 } }],
    ['GitHub', 400, openAi('Unknown model: x', 'unknown_model')],
    [
      'Hugging Face',
      400,
      openAi("The requested model 'x' is not supported by any provider you have enabled."),
    ],
    ['Z.ai', 400, openAi('Unknown Model, please check the model code.', '1211')],
    ['Z.ai, another code', 400, openAi('modelCode: does not exist', '1214')],
    ['vLLM', 404, { object: 'error', message: 'The model `x` does not exist.', code: 404 }],
  ])('has the code not_found and the mark, from %s', (_vendor, status, body) => {
    const error = refusal(status, body);
    expect([error.isModelGone, error.code, error.retryable]).toEqual([true, 'not_found', false]);
  });

  test.each<[what: string, status: number, body: object | string, code: string]>([
    ['another thing that is not found', 404, openAi('Previous response not found'), 'not_found'],
    ['a page of a proxy', 404, '<html><head><title>404 Not Found</title></head></html>', 'not_found'],
    ['a right that the account lacks', 403, openAi('No access', 'model_not_found'), 'unauthorized'],
    ['a request that quotes such words', 400, openAi('Invalid name: the model x is gone'), 'invalid_request'],
    [
      'a request that no endpoint takes',
      404,
      openAi('No endpoints found that support tool use.'),
      'not_found',
    ],
    ['a wrong field of a model', 400, openAi('Invalid model: the field x is unknown'), 'invalid_request'],
    ['a file of that name', 404, openAi('File `The model is gone` not found'), 'not_found'],
    ['an overloaded model', 503, openAi('The model is overloaded', 'model_not_found'), 'overloaded'],
  ])('has no mark for %s', (_what, status, body, code) => {
    const error = refusal(status, body);
    expect([error.isModelGone, error.code]).toEqual([false, code]);
  });
});
