import type { Vendor } from '../core/vendor.ts'

/** Hosts of vendors without a type of their own whose `cost` is what they charge, in dollars. Others use the name for anything. */
const costHosts = /^(?:[\w-]+\.)*(?:x\.ai|perplexity\.ai)$/i

/** Whether the vendor of a channel reports what it charges. */
export function reportsCost({ vendor, baseUrl }: { readonly vendor: Pick<Vendor, 'reportsCost'>; readonly baseUrl: string }): boolean {
  return vendor.reportsCost === true || costHosts.test(URL.parse(baseUrl)?.hostname ?? '')
}
