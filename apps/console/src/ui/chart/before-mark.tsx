/** Stands for the line that the bars are compared with. */
export function BeforeMark() {
  return <span aria-hidden className="w-3 shrink-0 border-t-[1.5px] border-dashed border-text" />
}
