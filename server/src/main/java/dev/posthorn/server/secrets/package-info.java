/** Secrets at rest: encrypted by a key of the hub's, which may be changed. */
@NullMarked
package dev.posthorn.server.secrets;

import org.jspecify.annotations.NullMarked;
