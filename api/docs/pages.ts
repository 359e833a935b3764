/** Holds the pages of the documentation, and the script that starts the reference. */

/** The reference page. It has no inline code or style, so its content policy needs no exception. */
export const referencePage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Sluice API reference</title>
    <link rel="stylesheet" href="/docs/assets/swagger-ui.css" />
    <link rel="icon" type="image/png" href="/docs/assets/favicon-32x32.png" />
  </head>
  <body>
    <main id="reference"></main>
    <script src="/docs/assets/swagger-ui-bundle.js"></script>
    <script src="/docs/assets/start.js"></script>
  </body>
</html>
`;

/**
 * The script of the reference page. It starts Swagger UI with its own options, and a plugin for what they leave open:
 *
 * - Every operation is in the page, so that the browser's search finds it. Swagger UI renders only what is visible as
 *   soon as a page has 150 rows; its own component for tags and operations is used without that.
 * - The filter also searches summaries, beside tags and paths.
 * - The field for the API key comes first among the credentials and has the focus. The others are folded below it.
 */
export const startScript = `
const sluicePlugin = ({ React: { createElement } }) => ({
  fn: {
    opsFilter(tags, phrase) {
      const wanted = phrase.toLowerCase();
      const has = (text) => String(text ?? '').toLowerCase().includes(wanted);
      const matches = (operation) =>
        has(operation.get('method') + ' ' + operation.get('path')) || has(operation.getIn(['operation', 'summary']));
      return tags
        .map((tag, name) => (has(name) ? tag : tag.update('operations', (all) => all.filter(matches))))
        .filter((tag) => tag.get('operations').size > 0);
    },
  },
  components: {
    operations(props) {
      const { specSelectors, getComponent } = props;
      const Tag = getComponent('OperationTag');
      const Operation = getComponent('OperationContainer', true);
      const tags = specSelectors.taggedOperations().entrySeq().toArray();
      if (tags.length === 0) return createElement('p', null, 'No operation matches the filter.');
      return tags.map(([tag, tagObj]) => {
        const operations = tagObj.get('operations').toArray();
        return createElement(
          Tag,
          { ...props, key: tag, tag, tagObj, specUrl: specSelectors.url() },
          operations.map((op) => {
            const [path, method, specPath] = ['path', 'method', 'specPath'].map((name) => op.get(name));
            return createElement(Operation, { key: method + path, tag, op, path, method, specPath });
          }),
        );
      });
    },
  },
  wrapComponents: {
    auths: (Auths) => (props) => {
      const fields = createElement(Auths, props);
      const isFirst = (definitions) => definitions.has('bearer');
      if (isFirst(props.definitions) || !props.authSelectors.shownDefinitions().some(isFirst)) return fields;
      const name = props.definitions.keySeq().join(', ');
      const description = props.definitions.first().get('description').replaceAll('\\x60', '');
      return createElement('details', null, createElement('summary', null, name + ': ' + description), fields);
    },
  },
});

window.SwaggerUIBundle({
  url: '/docs/openapi.json',
  domNode: document.getElementById('reference'),
  plugins: [sluicePlugin],
  filter: true,
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  validatorUrl: null,
});
`;

/** The default page for customers without credits. */
export const creditsPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Adding credits</title>
  </head>
  <body>
    <main>
      <h1>Adding credits</h1>
      <p>Your organization has spent its credits. Ask the operator of this gateway to add some.</p>
      <p>An operator adds credits of 50 US dollars with this command:</p>
      <pre>npm run admin -- credits add --usd 50 --note "who paid, and how"</pre>
      <p><code>GET /api/v1/credits</code> with a management key shows what was bought and what is used.</p>
      <p>Operators with a page of their own name it in the setting <code>CREDITS_URL</code>.</p>
    </main>
  </body>
</html>
`;
