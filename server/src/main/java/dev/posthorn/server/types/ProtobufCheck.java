package dev.posthorn.server.types;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import dev.posthorn.event.Event;
import dev.posthorn.server.json.Texts;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.server.types.EventType.Protobuf;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Holds data to a Protobuf message. Fields that it does not know are fine: that is how messages evolve. */
final class ProtobufCheck implements PayloadCheck {

    private static final String DESCRIPTOR = "protobuf.descriptor";

    private final Descriptor message;

    private ProtobufCheck(Descriptor message) {
        this.message = message;
    }

    static ProtobufCheck compile(Protobuf protobuf) {
        Files files = files(protobuf.descriptor());
        Descriptor message = files.message(protobuf.message());
        if (message == null) {
            throw BadDefinition.of(
                    "protobuf.message",
                    "'" + Texts.quote(protobuf.message())
                            + "' is not in the descriptor; give the full name, with the package");
        }
        return new ProtobufCheck(message);
    }

    private static Files files(String base64) {
        try {
            return new Files(set(base64));
        } catch (StackOverflowError e) {
            throw BadDefinition.of(DESCRIPTOR, "has files that import each other too deep");
        }
    }

    private static FileDescriptorSet set(String base64) {
        try {
            return FileDescriptorSet.parseFrom(Base64.getDecoder().decode(base64));
        } catch (IllegalArgumentException e) {
            throw BadDefinition.of(DESCRIPTOR, "is not Base64");
        } catch (InvalidProtocolBufferException e) {
            throw BadDefinition.of(
                    DESCRIPTOR,
                    "is not a FileDescriptorSet; make it with protoc --include_imports --descriptor_set_out=FILE");
        }
    }

    /** The files of a descriptor set, each linked to those that it imports. */
    private static final class Files {

        private final Map<String, FileDescriptorProto> protos = new HashMap<>();
        private final Map<String, FileDescriptor> linked = new HashMap<>();
        private final Set<String> linking = new HashSet<>();

        Files(FileDescriptorSet set) {
            set.getFileList().forEach(file -> protos.put(file.getName(), file));
            List.copyOf(protos.keySet()).forEach(this::link);
        }

        private FileDescriptor link(String name) {
            FileDescriptor known = linked.get(name);
            if (known != null) {
                return known;
            }
            FileDescriptorProto proto = protos.get(name);
            if (proto == null || !linking.add(name)) {
                throw BadDefinition.of(
                        DESCRIPTOR,
                        "lacks the import '" + Texts.quote(name) + "', or it imports itself; make it with protoc"
                                + " --include_imports");
            }
            FileDescriptor file = build(proto);
            linked.put(name, file);
            return file;
        }

        private FileDescriptor build(FileDescriptorProto proto) {
            FileDescriptor[] imports =
                    proto.getDependencyList().stream().map(this::link).toArray(FileDescriptor[]::new);
            try {
                return FileDescriptor.buildFrom(proto, imports);
            } catch (DescriptorValidationException | RuntimeException e) {
                throw BadDefinition.of(DESCRIPTOR, "is not valid: " + Texts.printable(String.valueOf(e.getMessage())));
            }
        }

        @Nullable
        Descriptor message(String fullName) {
            return linked.values().stream()
                    .flatMap(file -> file.getMessageTypes().stream())
                    .map(top -> within(top, fullName))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }

        private static @Nullable Descriptor within(Descriptor message, String fullName) {
            if (message.getFullName().equals(fullName)) {
                return message;
            }
            for (Descriptor nested : message.getNestedTypes()) {
                Descriptor found = within(nested, fullName);
                if (found != null) {
                    return found;
                }
            }
            return null;
        }
    }

    @Override
    public List<Violation> violations(Event event) {
        try {
            DynamicMessage.Builder parsed = DynamicMessage.newBuilder(message).mergeFrom(event.payload());
            return parsed.isInitialized()
                    ? List.of()
                    : refused("it lacks " + String.join(", ", parsed.findInitializationErrors()));
        } catch (InvalidProtocolBufferException e) {
            return refused(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public @Nullable String json(Event event) {
        try {
            DynamicMessage parsed = DynamicMessage.newBuilder(message)
                    .mergeFrom(event.payload())
                    .buildPartial();
            return JsonFormat.printer().omittingInsignificantWhitespace().print(parsed);
        } catch (InvalidProtocolBufferException e) {
            // From before the type was described so, or with an Any that it does not describe.
            return null;
        }
    }

    private List<Violation> refused(String reason) {
        return List.of(Violation.of("data", "is not a " + message.getFullName() + ": " + Texts.printable(reason)));
    }
}
