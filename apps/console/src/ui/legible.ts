/** The contrast that text must have (WCAG 2.2, 1.4.3). */
const contrastMin = 4.5

type Rgba = readonly [red: number, green: number, blue: number, alpha: number]

/** A computed colour; `null` = in a form other than `rgb()`. */
function readColor(text: string): Rgba | null {
  const [red, green, blue, alpha = 1] =
    /^rgba?\((.*)\)$/
      .exec(text)?.[1]
      ?.split(/[\s,/]+/)
      .map(Number) ?? []
  return red === undefined || green === undefined || blue === undefined ? null : [red, green, blue, alpha]
}

function luminance([red, green, blue]: Rgba): number {
  const [r = 0, g = 0, b = 0] = [red, green, blue]
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one: Rgba, other: Rgba): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** The colour behind an element; `null` = an image or a mixture. */
function backgroundOf(element: Element): Rgba | null {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    const { backgroundColor, backgroundImage } = getComputedStyle(at)
    if (backgroundImage !== 'none') return null
    const color = readColor(backgroundColor)
    if (color === null || (color[3] > 0 && color[3] < 1)) return null
    if (color[3] === 1) return color
  }
  return null
}

function isLegible(element: Element): boolean {
  const color = readColor(getComputedStyle(element).color)
  const background = backgroundOf(element)
  return color === null || background === null || contrast(color, background) >= contrastMin
}

const hasText = (element: Element): boolean =>
  [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '')

/** Elements that are checked at most: a page of text has some hundred. */
const checkedMax = 2_000

function illegibleCount(root: Element): number {
  return [...root.querySelectorAll('*')].slice(0, checkedMax).filter((element) => hasText(element) && !isLegible(element)).length
}

/** Puts a text on the paper of the light theme if more of it can be read there than on the dark theme. Elsewhere it needs none. */
function choosePaper(root: HTMLElement): void {
  delete root.dataset['theme']
  if (document.documentElement.dataset['theme'] !== 'dark') return
  const count = illegibleCount(root)
  if (count === 0) return
  root.dataset['theme'] = 'light'
  if (illegibleCount(root) >= count) delete root.dataset['theme']
}

/** Keeps a text legible when the theme changes. @returns what ends it */
export function keepLegible(root: HTMLElement): () => void {
  choosePaper(root)
  const observer = new MutationObserver(() => choosePaper(root))
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}
