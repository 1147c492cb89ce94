package dev.posthorn.server.grpc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.DynamicMessage;
import dev.posthorn.server.SharedHub;
import dev.posthorn.server.TestHub;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.reflection.v1.ServiceResponse;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a client can do that knows nothing of the protocol but what the hub tells it. */
@ExtendWith(SharedHub.class)
class ReflectionTest {

    private static TestHub hub;
    private static ManagedChannel channel;

    @BeforeAll
    static void start(TestHub shared) {
        hub = shared;
        channel = Channels.to(hub);
    }

    @AfterAll
    static void stop() {
        channel.shutdownNow();
    }

    @Test
    void allServicesAreListed() throws Exception {
        ServerReflectionResponse answer =
                ask(ServerReflectionRequest.newBuilder().setListServices("").build());
        assertThat(answer.getListServicesResponse().getServiceList().stream().map(ServiceResponse::getName))
                .containsExactlyInAnyOrder(
                        "posthorn.v1.EventHub",
                        "grpc.health.v1.Health",
                        "grpc.reflection.v1.ServerReflection",
                        "grpc.reflection.v1alpha.ServerReflection");
    }

    @Test
    void olderClientsFindThemToo() throws Exception {
        CompletableFuture<io.grpc.reflection.v1alpha.ServerReflectionResponse> answer = new CompletableFuture<>();
        StreamObserver<io.grpc.reflection.v1alpha.ServerReflectionRequest> call =
                io.grpc.reflection.v1alpha.ServerReflectionGrpc.newStub(channel)
                        .serverReflectionInfo(new First<>(answer));
        call.onNext(io.grpc.reflection.v1alpha.ServerReflectionRequest.newBuilder()
                .setListServices("")
                .build());
        List<String> names = answer.get(60, SECONDS).getListServicesResponse().getServiceList().stream()
                .map(io.grpc.reflection.v1alpha.ServiceResponse::getName)
                .toList();
        call.onCompleted();
        assertThat(names).contains("posthorn.v1.EventHub");
    }

    @Test
    void aGenericClientPublishes() throws Exception {
        MethodDescriptor publish =
                file("posthorn.v1.EventHub").findServiceByName("EventHub").findMethodByName("Publish");
        var type = publish.getInputType();
        DynamicMessage event = DynamicMessage.newBuilder(type)
                .setField(type.findFieldByName("event_type"), "user.registered")
                .setField(type.findFieldByName("source_service"), "accounts")
                .setField(type.findFieldByName("payload"), ByteString.copyFromUtf8("{}"))
                .build();
        DynamicMessage answer = call(publish, event);
        String id = (String) answer.getField(publish.getOutputType().findFieldByName("event_id"));
        assertThat(new LogRows(hub).byId(UUID.fromString(id)).source()).isEqualTo("accounts");
    }

    private static DynamicMessage call(MethodDescriptor method, DynamicMessage request) {
        var call = io.grpc.MethodDescriptor.<DynamicMessage, DynamicMessage>newBuilder()
                .setType(MethodType.UNARY)
                .setFullMethodName(method.getService().getFullName() + "/" + method.getName())
                .setRequestMarshaller(ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(method.getInputType())))
                .setResponseMarshaller(ProtoUtils.marshaller(DynamicMessage.getDefaultInstance(method.getOutputType())))
                .build();
        return ClientCalls.blockingUnaryCall(channel, call, CallOptions.DEFAULT, request);
    }

    /** The file in which the symbol stands, with those that it needs, from what reflection answers alone. */
    private static FileDescriptor file(String symbol) throws Exception {
        ServerReflectionResponse answer = ask(ServerReflectionRequest.newBuilder()
                .setFileContainingSymbol(symbol)
                .build());
        Map<String, FileDescriptorProto> files = new HashMap<>();
        for (ByteString each : answer.getFileDescriptorResponse().getFileDescriptorProtoList()) {
            FileDescriptorProto file = FileDescriptorProto.parseFrom(each);
            files.put(file.getName(), file);
        }
        return link(files, "posthorn/v1/event_hub.proto");
    }

    private static FileDescriptor link(Map<String, FileDescriptorProto> files, String name) throws Exception {
        FileDescriptorProto file = files.get(name);
        FileDescriptor[] needed = new FileDescriptor[file.getDependencyCount()];
        for (int i = 0; i < needed.length; i++) {
            needed[i] = link(files, file.getDependency(i));
        }
        return FileDescriptor.buildFrom(file, needed);
    }

    private static ServerReflectionResponse ask(ServerReflectionRequest question) throws Exception {
        CompletableFuture<ServerReflectionResponse> answer = new CompletableFuture<>();
        StreamObserver<ServerReflectionRequest> call =
                ServerReflectionGrpc.newStub(channel).serverReflectionInfo(new First<>(answer));
        call.onNext(question);
        ServerReflectionResponse first = answer.get(60, SECONDS);
        call.onCompleted();
        return first;
    }

    private record First<T>(CompletableFuture<T> answer) implements StreamObserver<T> {

        @Override
        public void onNext(T value) {
            answer.complete(value);
        }

        @Override
        public void onError(Throwable error) {
            answer.completeExceptionally(error);
        }

        @Override
        public void onCompleted() {
            answer.cancel(false);
        }
    }
}
