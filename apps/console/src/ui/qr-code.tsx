import { encode } from 'uqr'

interface QrCodeProps {
  readonly text: string
  readonly label: string
}

/** Light cells around it, without which cameras do not find it (ISO/IEC 18004). */
const marginCells = 4

/** A QR code, dark on light in every colour scheme. */
export function QrCode({ text, label }: QrCodeProps) {
  const { data, size } = encode(text, { ecc: 'M', border: marginCells })
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" className="size-48 rounded-sm">
      {/* No colours of the design: those of the dark scheme would make it light on dark, which many cameras do not read. */}
      <rect width={size} height={size} fill="white" />
      <path d={path} fill="black" />
    </svg>
  )
}
