package dev.posthorn.server.documents;

import org.jspecify.annotations.Nullable;

/** Why something is done, for the audit. */
public record ReasonDocument(@Nullable String reason) {}
