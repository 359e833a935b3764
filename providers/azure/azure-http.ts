import type { ProviderSettings } from '../provider-settings.ts';
import { createTextHttp, type TextHttp } from '../text-http.ts';

export type AzureHttpOptions = Pick<ProviderSettings, 'baseUrl' | 'apiKey' | 'apiVersion' | 'dispatcher'>;

/**
 * Creates the connection to a resource. Without a version of the API all deployments share `<endpoint>/openai/v1`. With
 * one, each deployment has a path of its own, which is taken from the `model` of the body.
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

/** Returns the resource's own address. Examples for clients add `/openai` or `/openai/v1` to it. */
function endpointOf(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '').replace(/\/openai(\/+v1)?$/, '');
}

/** Returns the deployment of a request. Adapters of this wire put it into every body as the model. */
function deploymentOf(body: object): string {
  return 'model' in body && typeof body.model === 'string' ? body.model : '';
}
