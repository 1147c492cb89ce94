package dev.posthorn.server.grpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.WireFormat;
import io.grpc.KnownLength;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * Counts the fields of a message before it is read. Two bytes can be an object of a hundred, be it an empty event or a
 * field that nobody knows, which Protobuf keeps: so the length of a message says little of what it takes in memory.
 */
final class FieldCount {

    /** The bytes of the shortest field. */
    private static final int SHORTEST = 2;

    private final int most;
    private int count;

    private FieldCount(int most) {
        this.most = most;
    }

    /** Whether there are more than so many, at whatever depth; throws if the bytes are no message. They stay to be read. */
    static boolean exceeds(int most, InputStream message, Descriptor type) throws IOException {
        if (message instanceof KnownLength && message.available() / SHORTEST <= most) {
            return false;
        }
        FieldCount fields = new FieldCount(most);
        message.mark(Integer.MAX_VALUE);
        try {
            fields.count(CodedInputStream.newInstance(message), type);
        } finally {
            message.reset();
        }
        return fields.count > most;
    }

    private void count(CodedInputStream in, @Nullable Descriptor type) throws IOException {
        for (int tag = in.readTag(); tag != 0 && count <= most; tag = in.readTag()) {
            count++;
            int wireType = WireFormat.getTagWireType(tag);
            if (wireType == WireFormat.WIRETYPE_START_GROUP) {
                // Nothing of ours is a group; what is in one is counted as if it stood outside, up to its end.
                continue;
            }
            Descriptor inner = inner(tag, type);
            if (inner != null && wireType == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
                countInner(in, inner);
            } else if (wireType != WireFormat.WIRETYPE_END_GROUP) {
                in.skipField(tag);
            }
        }
    }

    private void countInner(CodedInputStream in, Descriptor inner) throws IOException {
        int outerLimit = in.pushLimit(in.readRawVarint32());
        count(in, inner);
        if (count <= most) {
            in.popLimit(outerLimit);
        }
    }

    private static @Nullable Descriptor inner(int tag, @Nullable Descriptor type) {
        FieldDescriptor field = type == null ? null : type.findFieldByNumber(WireFormat.getTagFieldNumber(tag));
        return field != null && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE ? field.getMessageType() : null;
    }
}
