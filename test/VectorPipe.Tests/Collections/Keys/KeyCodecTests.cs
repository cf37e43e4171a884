using NUnit.Framework;
using VectorPipe.Collections.Keys;

namespace VectorPipe.Tests.Collections.Keys;

public sealed class KeyCodecTests
{
    private const int Seed = 17;

    [Test]
    public void Each_type_of_keys_has_its_codec()
    {
        using (Assert.EnterMultipleScope())
        {
            Assert.That(Describe(KeyCodec<ulong>.Default), Is.EqualTo((KeyType.UInt64, true, 8)));
            Assert.That(Describe(KeyCodec<long>.Default), Is.EqualTo((KeyType.Int64, true, 8)));
            Assert.That(Describe(KeyCodec<int>.Default), Is.EqualTo((KeyType.Int32, true, 8)));
            Assert.That(Describe(KeyCodec<Guid>.Default), Is.EqualTo((KeyType.Guid, false, 16)));
            Assert.That(Describe(KeyCodec<string>.Default), Is.EqualTo((KeyType.String, false, 512)));
        }
    }

    [Test]
    public void Another_type_is_refused_with_the_types_that_are_not() =>
        Assert.That(
            () => KeyCodec<short>.Default,
            Throws.TypeOf<NotSupportedException>()
                .With.Message.EqualTo("Expected keys of type ulong, long, int, Guid or string, found Int16."));

    [Test]
    public void Integers_come_back_from_their_bytes_and_from_their_handles()
    {
        var random = new Random(Seed);
        for (int i = 0; i < 1000; i++)
        {
            long number = random.NextInt64(long.MinValue, long.MaxValue) >> random.Next(64);
            ComesBack((ulong)number);
            ComesBack(number);
            ComesBack((int)number);
        }

        foreach (long edge in new[] { 0, -1, 1, int.MinValue, int.MaxValue, long.MinValue, long.MaxValue })
        {
            ComesBack((ulong)edge);
            ComesBack(edge);
            ComesBack((int)edge);
        }
    }

    [TestCase(1UL << 31)]
    [TestCase(uint.MaxValue)]
    [TestCase(1UL << 63)]
    [TestCase(ulong.MaxValue - (1UL << 31))]
    public void A_handle_beyond_the_range_of_int_is_no_key(ulong handle)
    {
        using (Assert.EnterMultipleScope())
        {
            Assert.That(KeyCodec<int>.Default.TryFromHandle(handle, out _), Is.False);
            Assert.That(KeyCodec<int>.Default.TryRead(BitConverter.GetBytes(handle), out _), Is.False);
        }
    }

    [Test]
    public void Guids_come_back_from_their_bytes_and_have_no_exact_handle()
    {
        var random = new Random(Seed);
        byte[] bytes = new byte[16];
        for (int i = 0; i < 100; i++)
        {
            random.NextBytes(bytes);
            var key = new Guid(bytes);
            Assert.That(WriteAndRead(KeyCodec<Guid>.Default, key), Is.EqualTo(key), $"seed {Seed}");
            Assert.That(KeyCodec<Guid>.Default.TryFromHandle(KeyCodec<Guid>.Default.HandleOf(key, 1), out _), Is.False);
        }
    }

    [Test]
    public void Bytes_of_another_length_are_no_integer_and_no_guid([Values(0, 1, 4, 7, 9, 15, 17, 32)] int length)
    {
        byte[] bytes = new byte[length];
        using (Assert.EnterMultipleScope())
        {
            Assert.That(KeyCodec<ulong>.Default.TryRead(bytes, out _), Is.False);
            Assert.That(KeyCodec<int>.Default.TryRead(bytes, out _), Is.False);
            Assert.That(KeyCodec<Guid>.Default.TryRead(bytes, out _), Is.False);
        }
    }

    [Test]
    [Alone]
    public void A_key_costs_no_allocation() => Assert.That(Allocations.OfThread(() =>
    {
        Use(1UL);
        Use(-1L);
        Use(-1);
        Guid guid = Guid.NewGuid();
        string text = "documents/2024/annual report.pdf";
        Hash(guid);
        Hash(text);
        return () =>
        {
            Use(7UL);
            Use(-7L);
            Use(-7);
            Hash(guid);
            Hash(text);
        };
    }), Is.Zero);

    private static (KeyType Type, bool IsExact, int MaxBytes) Describe<T>(KeyCodec<T> codec)
        where T : notnull => (codec.Type, codec.IsExact, codec.MaxBytes);

    private static void ComesBack<T>(T key)
        where T : notnull
    {
        KeyCodec<T> codec = KeyCodec<T>.Default;
        ulong handle = codec.HandleOf(key, seed: 3);
        Assert.That(codec.TryFromHandle(handle, out T? fromHandle), Is.True, $"{typeof(T)} {key}, seed {Seed}");
        Assert.That(fromHandle, Is.EqualTo(key), $"{typeof(T)}, seed {Seed}");
        Assert.That(codec.HandleOf(key, seed: 4), Is.EqualTo(handle), "an exact handle has no seed");
        Assert.That(WriteAndRead(codec, key), Is.EqualTo(key), $"{typeof(T)}, seed {Seed}");
    }

    private static T? WriteAndRead<T>(KeyCodec<T> codec, T key)
        where T : notnull
    {
        byte[] bytes = new byte[codec.MaxBytes];
        int written = codec.Write(key, bytes);
        Assert.That(codec.TryRead(bytes.AsSpan(0, written), out T? read), Is.True, $"{typeof(T)} {key}");
        return read;
    }

    private static void Use<T>(T key)
        where T : notnull
    {
        KeyCodec<T> codec = KeyCodec<T>.Default;
        Span<byte> bytes = stackalloc byte[8];
        codec.Write(key, bytes);
        codec.TryRead(bytes, out _);
        codec.TryFromHandle(codec.HandleOf(key, 1), out _);
    }

    private static void Hash<T>(T key)
        where T : notnull => KeyCodec<T>.Default.HandleOf(key, 1);
}
