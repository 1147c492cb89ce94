/** A PostgreSQL server that Posthorn starts by itself, as durable as one that an administrator set up. */
@NullMarked
package dev.posthorn.embedded.postgres;

import org.jspecify.annotations.NullMarked;
