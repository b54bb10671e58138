/** Whether a text is an address or a range like `10.0.0.0/8` or `2001:db8::/32`, as the server reads them. */
export function isSubnet(text: string): boolean {
  const match = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text)
  const address = match?.[1] ?? ''
  const bits = Number(match?.[2] ?? 0)
  return (isIpv4(address) && bits <= 32) || (isIpv6(address) && bits <= 128)
}

function isIpv4(text: string): boolean {
  return /^(?:(?:0|[1-9]\d{0,2})(?:\.(?!$)|$)){4}$/.test(text) && text.split('.').every((part) => Number(part) <= 255)
}

/** Eight groups, of which one run of zeros may be left out; the last two may be written as an IPv4 address. */
function isIpv6(text: string): boolean {
  const tail = /:(\d+\.\d+\.\d+\.\d+)$/.exec(text)?.[1]
  if (tail !== undefined) return isIpv4(tail) && isIpv6(text.slice(0, -tail.length).concat('0:0'))
  const halves = text.split('::')
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return false
  return halves.length === 1 ? groups.length === 8 : halves.length === 2 && groups.length < 8
}
