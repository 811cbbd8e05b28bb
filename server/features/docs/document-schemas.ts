type Json = Record<string, unknown>;

/** The formats of the alternatives by which Elysia also accepts a number or a boolean as text. */
const COERCED = ['integer', 'numeric', 'boolean'];

/**
 * Collects the named schemas of an OpenAPI document, which are those with a title, while it writes
 * the document's parts as generators of clients expect them. Each schema is described once and
 * referred to by its name.
 */
export class DocumentSchemas {
  readonly named = new Map<string, Json>();

  /**
   * Returns a part of the document with plain types, and a reference in place of each named schema.
   * Throws where two different schemas have one name.
   */
  tidy(part: unknown): unknown {
    if (Array.isArray(part)) return part.map((one) => this.tidy(one));
    if (typeof part !== 'object' || part === null) return part;
    const tidied = Object.entries(part).filter(([key, value]) => !isPrivate(key, value));
    const schema = Object.fromEntries(tidied.map(([key, value]) => [key, this.tidy(value)]));
    return this.refer(plain(schema));
  }

  private refer({ title, nullable, ...schema }: Json): Json {
    const rest = nullable === undefined ? schema : { ...schema, nullable };
    if (typeof title !== 'string') return title === undefined ? rest : { ...rest, title };
    const known = this.named.get(title);
    if (known && !Bun.deepEquals(known, schema)) {
      throw new Error(`Two different schemas are named ${title}.`);
    }
    this.named.set(title, schema);
    const reference = { $ref: `#/components/schemas/${title}` };
    // In OpenAPI 3.0 everything beside $ref is ignored.
    return nullable ? { nullable, allOf: [reference] } : reference;
  }
}

/** What only our own validation reads. A property of an object may have the same name. */
const isPrivate = (key: string, value: unknown) =>
  ['error', 'contentType'].includes(key) && typeof value === 'string';

/** Returns a schema without the ways of TypeBox and Elysia that generators do not read. */
function plain(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  if (Array.isArray(anyOf)) return ofVariants(anyOf as Json[], rest);
  if (Array.isArray(schema.enum)) {
    // An empty parameter counts as unset, so it is no choice.
    return { ...schema, enum: schema.enum.filter((value) => value !== '') };
  }
  if (schema.type === 'number' && schema.multipleOf === 1) {
    const { multipleOf: _, ...integer } = schema;
    return { ...integer, type: 'integer' };
  }
  // See `textsByName`, which has no type for TypeBox.
  if (schema.additionalProperties && !schema.type) return { ...schema, type: 'object' };
  if (schema.patternProperties) {
    // TypeBox writes a record in this way, which OpenAPI 3.0 does not have.
    const { patternProperties, ...record } = schema;
    const [additionalProperties] = Object.values(patternProperties as Json);
    return { ...record, additionalProperties };
  }
  return schema;
}

function ofVariants(anyOf: Json[], rest: Json): Json {
  const variants = anyOf.filter(
    ({ type, format = '' }) =>
      type !== 'null' && !(type === 'string' && COERCED.includes(String(format))),
  );
  const outer = anyOf.some(({ type }) => type === 'null') ? { ...rest, nullable: true } : rest;
  const values = variants.flatMap(({ const: value }) => (value === undefined ? [] : [value]));
  if (values.length > 0 && values.length === variants.length) {
    return plain({ ...outer, type: 'string', enum: values });
  }
  const [only] = variants;
  if (!only || variants.length > 1) return { ...outer, anyOf: variants };
  if ('$ref' in only) return Object.keys(outer).length > 0 ? { ...outer, allOf: [only] } : only;
  return { ...only, ...outer };
}

/** Returns a document with each reference to a named schema replaced by the schema. */
export function dereferenced<Document>(document: Document): Document {
  const { components } = document as { components?: { schemas?: Record<string, Json> } };
  const resolve = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(resolve);
    if (typeof part !== 'object' || part === null) return part;
    const { $ref, allOf, ...rest } = part as { $ref?: unknown; allOf?: unknown[] } & Json;
    if (typeof $ref === 'string' && $ref.startsWith('#/components/schemas/')) {
      return resolve(components?.schemas?.[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {});
    }
    const whole = Object.fromEntries(Object.entries(part).map(([k, v]) => [k, resolve(v)]));
    if (!Array.isArray(allOf) || allOf.length !== 1) return whole;
    return { ...(resolve(allOf[0]) as Json), ...(resolve(rest) as Json) };
  };
  return resolve(document) as Document;
}
