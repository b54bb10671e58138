import { parseArgs } from 'node:util'

// A replacement with the options of curl that docs/api.md uses, for machines without it: `curl -s URL [-H HEADER]... [-d BODY]`.

const { values, positionals } = parseArgs({
  args: Bun.argv.slice(2),
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    header: { type: 'string', short: 'H', multiple: true },
    data: { type: 'string', short: 'd' },
  },
})
const headers = (values.header ?? []).map((header): [string, string] => {
  const [name = '', ...rest] = header.split(':')
  return [name, rest.join(':').trim()]
})
const body = values.data === undefined ? {} : { method: 'POST', body: values.data }
const response = await fetch(positionals[0] ?? '', { headers, ...body })
process.stdout.write(await response.text())
