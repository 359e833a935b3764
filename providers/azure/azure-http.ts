/** Addresses requests to the deployments of an Azure OpenAI resource. */
import type { ProviderSettings } from '../provider-settings.ts';
import { createTextHttp, type TextHttp } from '../text-http.ts';

export type AzureHttpOptions = Pick<ProviderSettings, 'baseUrl' | 'apiKey' | 'apiVersion' | 'dispatcher'>;

/**
 * Creates the connection to a resource. Without an API version all deployments share `<endpoint>/openai/v1`. With an
 * API version each deployment has its own path, which contains the `model` of the body.
 */
export function createAzureHttp({ baseUrl, apiKey, apiVersion, dispatcher }: AzureHttpOptions): TextHttp {
  const headers = apiKey === undefined ? {} : { 'api-key': apiKey };
  const connect = (path: string) =>
    createTextHttp({ baseUrl: endpointOf(baseUrl) + path, apiKey, headers, dispatcher });
  if (apiVersion === undefined) return connect('/openai/v1');
  const query = `?api-version=${encodeURIComponent(apiVersion)}`;
  const pathOf = (path: string, body: object): string =>
    `${encodeURIComponent(deploymentOf(body))}/${path}${query}`;
  const http = connect('/openai/deployments');
  return {
    post: (path, body, context, parse) => http.post(pathOf(path, body), body, context, parse),
    stream: (path, body, context, reader) => http.stream(pathOf(path, body), body, context, reader),
    bytes: (path, body, context, reader) => http.bytes(pathOf(path, body), body, context, reader),
  };
}

/** Returns the resource's own address. Base URLs in examples for clients also end in `/openai` or `/openai/v1`. */
function endpointOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/openai(\/+v1)?$/, '');
}

/** Returns the deployment of a request, which is the `model` of its body. */
function deploymentOf(body: object): string {
  return 'model' in body && typeof body.model === 'string' ? body.model : '';
}
