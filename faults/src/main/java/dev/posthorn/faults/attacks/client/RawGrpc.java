package dev.posthorn.faults.attacks.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** gRPC with messages that are any bytes. */
public final class RawGrpc {

    private RawGrpc() {}

    /** Adds the key to every call. */
    public static ClientInterceptor withKey(String key) {
        Metadata headers = new Metadata();
        headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + key);
        return MetadataUtils.newAttachHeadersInterceptor(headers);
    }

    public static MethodDescriptor<byte[], byte[]> method(MethodType type, String name) {
        MethodDescriptor.Marshaller<byte[]> bytes = new MethodDescriptor.Marshaller<>() {
            @Override
            public InputStream stream(byte[] value) {
                return new ByteArrayInputStream(value);
            }

            @Override
            public byte[] parse(InputStream in) {
                try {
                    return in.readAllBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        };
        return MethodDescriptor.<byte[], byte[]>newBuilder(bytes, bytes)
                .setType(type)
                .setFullMethodName(name)
                .build();
    }

    /** What a call with this message is answered. */
    public static Status.Code call(Channel channel, String method, byte[] message, CallOptions options) {
        try {
            ClientCalls.blockingUnaryCall(channel, method(MethodType.UNARY, method), options, message);
            return Status.Code.OK;
        } catch (StatusRuntimeException e) {
            return e.getStatus().getCode();
        }
    }
}
