/** Access to Google's models in a project of Google Cloud. */
export interface GoogleAuth {
  /** The address of the published models: `…/projects/<project>/locations/<region>/publishers/google`. */
  baseUrl: string;
  /** Returns a token that is valid now. Throws ProviderError. */
  token(): Promise<string>;
}
