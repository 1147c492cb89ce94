/** Which parts of payloads not everybody may see, and how they are kept from them. */
@NullMarked
package dev.posthorn.server.masking;

import org.jspecify.annotations.NullMarked;
