/** What every sink has to do, as tests: extend {@link dev.posthorn.sink.contract.SinkContract}. */
@NullMarked
package dev.posthorn.sink.contract;

import org.jspecify.annotations.NullMarked;
