/**
 * The arrows between the folders (docs/architecture.md). A folder may import what ALLOWED says and nothing
 * else of ours; what only types are taken from counts too, except where a rule says otherwise.
 */
const SHIPPED = [
  'activities',
  'admin',
  'api',
  'contract',
  'db',
  'domain',
  'migrations',
  'platform',
  'providers',
  'services',
  'upstream',
  'worker',
  'workflows',
];

const ALLOWED = {
  domain: [],
  contract: ['domain'],
  platform: ['domain'],
  migrations: [],
  db: ['domain', 'platform'],
  providers: ['domain', 'platform'],
  // A vendor of its own.
  upstream: ['platform'],
  services: ['db', 'providers', 'domain', 'platform'],
  activities: ['services', 'db', 'providers', 'domain', 'platform', 'contract/webhook-events'],
  // Activities by `import type` only: see below.
  workflows: ['domain', 'activities'],
  worker: ['workflows', 'activities', 'services', 'db', 'providers', 'contract', 'domain', 'platform'],
  api: ['contract', 'services', 'db', 'domain', 'platform'],
  admin: ['services', 'db', 'providers', 'contract', 'domain', 'platform'],
  // Runs in browsers, and knows the gateway only through docs/openapi.json.
  console: [],
  // Not shipped: callers copy them.
  examples: [],
};

/** The layers that are divided by the same capabilities. */
const DIVIDED = ['domain', 'contract', 'db', 'services', 'api'];

/** What the folder of a capability may import of other capabilities within its layer. */
const CAPABILITIES = {
  catalog: ['webhooks'],
  webhooks: [],
  presets: [],
  ledger: ['catalog', 'webhooks'],
  accounts: ['ledger', 'webhooks'],
  endpoints: ['accounts', 'catalog'],
  routing: ['accounts', 'catalog', 'endpoints'],
  live: ['catalog', 'endpoints', 'ledger', 'presets', 'routing'],
  broadcast: ['accounts', 'catalog', 'ledger', 'webhooks'],
  videos: ['accounts', 'broadcast', 'catalog', 'endpoints', 'ledger', 'live', 'routing', 'webhooks'],
  insights: ['accounts', 'catalog', 'ledger'],
  directory: ['accounts', 'endpoints', 'webhooks'],
  interns: ['accounts'],
};
const NAMES = Object.keys(CAPABILITIES).join('|');

/** A preset spells the fields of a chat request. In the contract, live therefore may not import presets. */
const ONLY_IN_CONTRACT = { presets: ['live'] };

/** Returns what a capability may import of other capabilities within this layer. */
function othersIn(layer, capability) {
  const added = layer === 'contract' ? ONLY_IN_CONTRACT : {};
  const others = CAPABILITIES[capability].filter((other) => !added[other]?.includes(capability));
  return [...others, ...(added[capability] ?? [])];
}

/** Throws if the capabilities of a layer could import each other in a circle. */
function refuseCircle(layer) {
  let left = Object.keys(CAPABILITIES);
  while (left.length > 0) {
    const inCircle = left.filter((name) => othersIn(layer, name).some((other) => left.includes(other)));
    if (inCircle.length === left.length) throw new Error(`${layer} has a circle among ${left.join(', ')}`);
    left = inCircle;
  }
}
DIVIDED.forEach(refuseCircle);

/** These put capabilities together; nothing but the top of their layer imports them. */
const COMPOSERS = '^services/(encryption/|sweep/|remove-workspace[.])';

const capabilityArrows = DIVIDED.flatMap((layer) =>
  Object.keys(CAPABILITIES).map((capability) => {
    const allowed = [capability, ...othersIn(layer, capability)];
    return {
      name: `${layer}-${capability}`,
      comment: `${capability} may import of other capabilities: ${allowed.slice(1).join(', ') || 'none'}`,
      severity: 'error',
      from: { path: `^${layer}/${capability}/` },
      to: { path: `^${layer}/(${NAMES})/`, pathNot: `^${layer}/(${allowed.join('|')})/` },
    };
  }),
);

/** Files that belong to no capability, by layer: they serve all of them and import none. */
const TOPS = {
  domain: '^domain/[^/]+$',
  db: '^db/(postgres/)?[^/]+$',
  services: `^services/(?!(${NAMES}|encryption|sweep)/|remove-workspace[.])`,
  api: '^api/((http|docs|console|cluster)/|(health|pages)[.])',
};

const topArrows = Object.entries(TOPS).map(([layer, path]) => ({
  name: `${layer}-top-imports-no-capability`,
  severity: 'error',
  from: { path },
  to: { path: `^${layer}/(${NAMES})/` },
}));

const arrows = Object.keys(ALLOWED).map((folder) => ({
  name: `${folder}-arrows`,
  comment: `${folder} may import: ${ALLOWED[folder].join(', ') || 'nothing of ours'}`,
  severity: 'error',
  from: { path: `^${folder}/` },
  to: {
    path: '^(activities|admin|api|bench|console|contract|db|dev|domain|examples|migrations|platform|providers|services|test|upstream|worker|workflows)/',
    pathNot: [folder, ...ALLOWED[folder]].map((target) => `^${target}[/.]`),
  },
}));

const SHIPPED_FILES = `^(${SHIPPED.join('|')})/`;

export default {
  forbidden: [
    ...arrows,
    ...capabilityArrows,
    ...topArrows,
    {
      name: 'capabilities-do-not-know-what-composes-them',
      severity: 'error',
      from: { path: `^(services)/(${NAMES})/` },
      to: { path: COMPOSERS },
    },
    {
      name: 'capabilities-make-no-circle',
      comment:
        'Two folders may make a circle where no two files do. This rule sees only the files directly in a folder, not those of folders within it. CAPABILITIES guarantees the rest: its arrows make no circle.',
      scope: 'folder',
      severity: 'error',
      from: { path: `^(${DIVIDED.join('|')})/(${NAMES})$` },
      to: { circular: true },
    },
    {
      name: 'domain-imports-nothing',
      comment: 'The rules are pure: no package, no Node module.',
      severity: 'error',
      from: { path: '^domain/' },
      to: { pathNot: '^domain/' },
    },
    {
      name: 'contract-is-zod',
      comment: 'The contract describes; it does nothing.',
      severity: 'error',
      from: { path: '^contract/' },
      to: { pathNot: ['^(contract|domain)/', '(^|/)node_modules/zod/'] },
    },
    {
      name: 'workflows-take-types-of-activities',
      comment: 'A value import would pull Node into the workflow sandbox.',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^activities/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'workflows-run-without-packages',
      comment: 'Only the Temporal SDK runs in the sandbox: no Node module, zod, pino or knex.',
      severity: 'error',
      from: { path: '^workflows/' },
      to: {
        pathNot: ['^(workflows|domain|activities)/', '(^|/)node_modules/@temporalio/(workflow|common)/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'only-main-reads-config',
      comment: 'Everything else is handed what it needs.',
      severity: 'error',
      from: { path: SHIPPED_FILES, pathNot: ['/main\\.ts$', '^platform/'] },
      to: { path: '^platform/config\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'one-way-to-postgres',
      comment: 'db/postgres runs statements and opens sessions (docs/architecture.md lists them).',
      severity: 'error',
      from: { path: SHIPPED_FILES, pathNot: '^db/postgres/' },
      to: { path: '(^|/)node_modules/pg/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'knex-builds-queries-and-runs-migrations',
      comment: 'db/postgres/statement.ts has a Knex without a connection; db/migrate.ts opens one.',
      severity: 'error',
      from: { path: SHIPPED_FILES, pathNot: '^db/(postgres/statement|migrate)\\.ts$' },
      to: { path: '(^|/)node_modules/knex/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nobody-imports-main',
      comment: 'A main file starts a process when it is loaded.',
      severity: 'error',
      from: {},
      to: { path: '/main\\.ts$' },
    },
    {
      name: 'shipped-code-needs-dependencies',
      comment: 'Development dependencies are not installed in production.',
      severity: 'error',
      from: { path: SHIPPED_FILES },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'all-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    // Sees type-only imports too, and tells them apart. "specify" would also compile each file and parse the result, which
    // takes three times as long, to tell apart what no rule asks for.
    tsPreCompilationDeps: true,
    // Packages are not followed, and not excluded either: rules about them would never apply.
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|console/dist|docs|coverage|\\.data|test/clients)/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
