declare const ALL_TOOLS: Array<{
  name: string;
  description: string;
}>;

/** Finds MCP tools in the whole pool, the best match first. Without a query it lists all of them. */
declare function searchTools(query?: string, options?: Omit<{
  /** Words to look for in names, descriptions and fields, in any order. When omitted, every tool is listed. */
  query?: string;
  /** Only the tools of this server, such as "mcp__github" or "github". */
  namespace?: string;
  /**
   * Return at most this many tools.
   * @minimum 1
   */
  limit?: number;
  /**
   * Leave out this many tools first.
   * @minimum 0
   */
  offset?: number;
}, "query">): Promise<Array<{
  name: string;
  description: string;
  signature: string;
}>>;
declare function searchTools(input?: {
  /** Words to look for in names, descriptions and fields, in any order. When omitted, every tool is listed. */
  query?: string;
  /** Only the tools of this server, such as "mcp__github" or "github". */
  namespace?: string;
  /**
   * Return at most this many tools.
   * @minimum 1
   */
  limit?: number;
  /**
   * Leave out this many tools first.
   * @minimum 0
   */
  offset?: number;
}): Promise<Array<{
  name: string;
  description: string;
  signature: string;
}>>;

/** Describes one tool: its whole description, its signature with types at full depth, its annotations and its server. */
declare function describeTool(name: string): Promise<{
  name: string;
  server: string;
  description: string;
  signature: string;
  annotations: {
    title?: string;
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint?: boolean;
    [key: string]: unknown;
  };
  /** JSON Schema of the input, as the server sent it. */
  inputSchema: unknown;
  /** JSON Schema of the output, when the server declared one. */
  outputSchema?: unknown;
}>;
declare function describeTool(input: {
  /** Full name of the tool, such as "mcp__github__create_issue". */
  name: string;
}): Promise<{
  name: string;
  server: string;
  description: string;
  signature: string;
  annotations: {
    title?: string;
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint?: boolean;
    [key: string]: unknown;
  };
  /** JSON Schema of the input, as the server sent it. */
  inputSchema: unknown;
  /** JSON Schema of the output, when the server declared one. */
  outputSchema?: unknown;
}>;

/** Describes one MCP server: its own instructions and the names of its tools. */
declare function describeNamespace(name: string): Promise<{
  name: string;
  server: string;
  description: string;
  instructions: string;
  /** Full names of its tools. */
  tools: Array<string>;
}>;
declare function describeNamespace(input: {
  /** The server, such as "mcp__github" or "github". */
  name: string;
}): Promise<{
  name: string;
  server: string;
  description: string;
  instructions: string;
  /** Full names of its tools. */
  tools: Array<string>;
}>;

/** Keeps a JSON value for later scripts of this session. It takes effect only if this script completes. Without a value, or with undefined, the key is deleted. */
declare function store(key: string, value?: unknown): void;
declare function store(input: {
  key: string;
  /** Any JSON value. */
  value?: unknown;
}): void;

/** Returns what was stored under the key, undefined when nothing was. */
declare function load(key: string): unknown;
declare function load(input: {
  key: string;
}): unknown;

/** Adds text to the output, after what was added before. A value that is no string is added as JSON. */
declare function text(value: unknown): void;
declare function text(input: {
  /** Any JSON value. */
  value: unknown;
}): void;

/** Adds an image to the output, after what was added before. */
declare function image(image: string, detail?: string): void;
declare function image(image: { type?: string; data: string; mimeType: string; detail?: string } | { type?: string; image_url: string | { url: string }; detail?: string }): void;

/** What tools["$codemode"] has under the same and other names. */
declare const files: {
  /** Reads a UTF-8 text file: of the session's scratch folder, or of the workspace when there is none of that name. */
  readText(path: string): Promise<string>;
  readText(input: {
    /**
     * Relative to the scratch folder or a folder of the workspace, or absolute.
     * @minLength 1
     */
    path: string;
  }): Promise<string>;
  /** Writes a UTF-8 text file in the session's scratch folder, and resolves to its absolute path. */
  writeText(path: string, text: string): Promise<string>;
  writeText(input: {
    /**
     * Relative to the scratch folder.
     * @minLength 1
     */
    path: string;
    text: string;
  }): Promise<string>;
  /** Reads a UTF-8 text file: of the session's scratch folder, or of the workspace when there is none of that name. */
  read(path: string): Promise<string>;
  read(input: {
    /**
     * Relative to the scratch folder or a folder of the workspace, or absolute.
     * @minLength 1
     */
    path: string;
  }): Promise<string>;
  /** Writes a UTF-8 text file in the session's scratch folder, and resolves to its absolute path. */
  write(path: string, text: string): Promise<string>;
  write(input: {
    /**
     * Relative to the scratch folder.
     * @minLength 1
     */
    path: string;
    text: string;
  }): Promise<string>;
};

/** What tools["$codemode"] has under the same and other names. */
declare const models: {
  /** Lists the models that the editor offers. */
  list(input?: Record<string, never>): Promise<Array<{
    id: string;
    name?: string;
    description?: string;
  }>>;
  /** Lets a model choose one of the labels for a text. It does not throw when the model fails: stopReason says so, and label is null. */
  classify(text: string, labels: Array<string>, options?: Omit<{
    text: string;
    /** @minItems 1 */
    labels: Array<string>;
    /** What the labels mean, and how to choose. */
    instructions?: string;
    /** Id of a model of models.list. The editor chooses when it is omitted. */
    model?: string;
  }, "text" | "labels">): Promise<{
    label: string | null;
    /** "stop" when the model ended by itself, "length" when it wrote all that it may, "timeout", "error"; an editor may have more. */
    stopReason: string;
    /** Why it failed, when it did. */
    errorMessage?: string;
    usage?: {
      inputTokens?: number;
      outputTokens?: number;
    };
  }>;
  classify(input: {
    text: string;
    /** @minItems 1 */
    labels: Array<string>;
    /** What the labels mean, and how to choose. */
    instructions?: string;
    /** Id of a model of models.list. The editor chooses when it is omitted. */
    model?: string;
  }): Promise<{
    label: string | null;
    /** "stop" when the model ended by itself, "length" when it wrote all that it may, "timeout", "error"; an editor may have more. */
    stopReason: string;
    /** Why it failed, when it did. */
    errorMessage?: string;
    usage?: {
      inputTokens?: number;
      outputTokens?: number;
    };
  }>;
  /** Lets a model write text. It does not throw when the model fails: stopReason says so, and text is what there is. */
  generate(prompt: string, options?: Omit<{
    prompt: string;
    /** Instructions that come before the prompt. */
    system?: string;
    /** @minimum 1 */
    maxTokens?: number;
    /** Id of a model of models.list. The editor chooses when it is omitted. */
    model?: string;
  }, "prompt">): Promise<{
    text: string;
    /** "stop" when the model ended by itself, "length" when it wrote all that it may, "timeout", "error"; an editor may have more. */
    stopReason: string;
    /** Why it failed, when it did. */
    errorMessage?: string;
    usage?: {
      inputTokens?: number;
      outputTokens?: number;
    };
  }>;
  generate(input: {
    prompt: string;
    /** Instructions that come before the prompt. */
    system?: string;
    /** @minimum 1 */
    maxTokens?: number;
    /** Id of a model of models.list. The editor chooses when it is omitted. */
    model?: string;
  }): Promise<{
    text: string;
    /** "stop" when the model ended by itself, "length" when it wrote all that it may, "timeout", "error"; an editor may have more. */
    stopReason: string;
    /** Why it failed, when it did. */
    errorMessage?: string;
    usage?: {
      inputTokens?: number;
      outputTokens?: number;
    };
  }>;
};
