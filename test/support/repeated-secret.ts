/** Writes a secret in the ways in which another server may repeat it, by code of its own. */

/** Escapers of HTML: Express, Go, Python, Handlebars and Mustache. */
const HTML: Record<string, [RegExp, Record<string, string>]> = {
  'html as of Express': [/[&<>"']/g, { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }],
  'html as of Go': [
    /[&<>"'+]/g,
    { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;', '+': '&#43;' },
  ],
  'html as of Python': [/[&<>"']/g, { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;' }],
  'html as of Handlebars': [
    /[&<>"'`=]/g,
    { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;', '`': '&#x60;', '=': '&#x3D;' },
  ],
  'html as of Mustache': [
    /[&<>"'`=/]/g,
    {
      '&': '&amp;',
      '<': '&lt;',
      '>': '&gt;',
      '"': '&quot;',
      "'": '&#39;',
      '/': '&#x2F;',
      '`': '&#x60;',
      '=': '&#x3D;',
    },
  ],
};

/** Returns the secret in each writing, by its name, with text around it. */
export function repeatedForms(secret: string): [how: string, text: string][] {
  const percent = encodeURIComponent(secret);
  const html = Object.entries(HTML).map(([how, [characters, entities]]): [string, string] => [
    how,
    secret.replaceAll(characters, (character) => entities[character]!),
  ]);
  return [
    ['plain', secret],
    ['upper-cased', secret.toUpperCase()],
    ['lower-cased', secret.toLowerCase()],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['percent-encoded', percent],
    ['percent-encoded in lower case', percent.replaceAll(/%../g, (code) => code.toLowerCase())],
    ['percent-encoded as of a form', new URLSearchParams([['', secret]]).toString().slice(1)],
    ['percent-encoded but for slashes', percent.replaceAll('%2F', '/')],
    ...html,
  ];
}

/** Returns base64 in which the secret begins at each of the three offsets, and ends at each. */
export function base64Forms(secret: string): [how: string, text: string][] {
  return ['', 'x', 'xy'].flatMap((before) =>
    ['', 'x', 'xy'].flatMap((after): [string, string][] => {
      const bytes = Buffer.from(before + secret + after);
      const how = `${before.length} bytes before and ${after.length} behind`;
      return [
        [`base64 with ${how}`, bytes.toString('base64')],
        [`base64url with ${how}`, bytes.toString('base64url')],
      ];
    }),
  );
}
