/** How events come in by gRPC. */
@NullMarked
package dev.posthorn.server.grpc;

import org.jspecify.annotations.NullMarked;
