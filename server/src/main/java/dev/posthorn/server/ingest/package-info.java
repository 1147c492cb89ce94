/** How events come in: checked, deduplicated by their ids, recorded. */
@NullMarked
package dev.posthorn.server.ingest;

import org.jspecify.annotations.NullMarked;
