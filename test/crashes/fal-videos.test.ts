/** Checks that deaths and outages cost and lose nothing of videos that fal makes. */
import { startFalUpstream } from '../providers/fal-upstream.ts';
import { UPSTREAM_KEY } from '../providers/upstream-client.ts';
import { describeVendorVideos } from './vendor-videos.ts';

describeVendorVideos({
  name: 'fal',
  async start() {
    const vendor = await startFalUpstream();
    vendor.upstream.addFaults({ kind: 'charge', amount: '2.0', times: 100 });
    return vendor;
  },
  env: ({ baseUrl }) => ({ PROVIDER_FAL_API_KEY: UPSTREAM_KEY, PROVIDER_FAL_BASE_URL: baseUrl }),
  request: {
    model: 'google/veo-3.1',
    prompt: 'A kite',
    duration: 4,
    resolution: '720p',
    generate_audio: false,
  },
  submitted: (vendor) => vendor.queued(),
  webhook: { slug: 'fal', finish: (vendor, id) => vendor.finish(id) },
  usage: { cost: 0.8, units: { billable_units: 2 } },
  bill: {
    reserved: '1200000000',
    cost: '800000000',
    billed: '800000000',
    report: { billable_units: '2' },
  },
});
