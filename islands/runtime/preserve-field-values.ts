type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/**
 * What was typed and chosen in fields before React was there, which it does not notice by itself.
 * To be called before anything renders again, as that would put the fields back.
 * @returns what puts it into the fields again, so that React notices
 */
export function preserveFieldValues(place: HTMLElement): () => void {
  const kept = [...place.querySelectorAll<Control>('input, textarea, select')].map(keptOf);
  return () => {
    for (const restore of kept) restore?.();
  };
}

function keptOf(field: Control): (() => void) | null {
  if (field instanceof HTMLSelectElement) {
    const { value } = field;
    const options = [...field.options];
    if (options.every(({ selected, defaultSelected }) => selected === defaultSelected)) return null;
    return () => {
      field.value = value;
      tell(field, 'change');
    };
  }
  if (field.readOnly) return null;
  if (field.type === 'file')
    return (field as HTMLInputElement).files?.length ? () => tell(field, 'change') : null;
  if (field.type === 'checkbox' || field.type === 'radio')
    return keptCheck(field as HTMLInputElement);
  return field.value === field.defaultValue ? null : keptText(field);
}

/** A click is what React takes for a change of these. */
function keptCheck(box: HTMLInputElement): (() => void) | null {
  const { checked } = box;
  if (checked === box.defaultChecked) return null;
  return () => {
    box.checked = !checked;
    box.click();
  };
}

/**
 * React asks a field of its own making what it holds, and takes an event for news only when that is
 * another than it last knew: so it first gets to know the old text, then the browser's own setter,
 * which it does not hear, sets the new one.
 */
function keptText(field: HTMLInputElement | HTMLTextAreaElement): () => void {
  const { value, selectionStart, selectionEnd, defaultValue: before } = field;
  return () => {
    // If the user has typed on meanwhile, the field holds more than was kept; a restored field is empty.
    const last =
      field.value === before
        ? { value, selectionStart, selectionEnd }
        : {
            value: field.value,
            selectionStart: field.selectionStart,
            selectionEnd: field.selectionEnd,
          };
    field.value = before;
    const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value') ?? {};
    set?.call(field, last.value);
    // Fields of some types have none.
    if (last.selectionStart !== null) {
      field.setSelectionRange(last.selectionStart, last.selectionEnd);
    }
    tell(field, 'input');
  };
}

const tell = (field: Control, type: string) =>
  field.dispatchEvent(new Event(type, { bubbles: true }));
