using System.Text;
using NUnit.Framework;
using VectorPipe.Collections.Keys;

namespace VectorPipe.Tests.Collections.Keys;

public sealed class StringKeyCodecTests
{
    private const int Seed = 23;

    private static readonly KeyCodec<string> _codec = KeyCodec<string>.Default;

    private static IEnumerable<TestCaseData> Refused =>
    [
        new TestCaseData("", "an empty string"),
        new TestCaseData(null, "null"),
        new TestCaseData(new string('a', 513), "513 bytes"),
        new TestCaseData(new string('é', 257), "514 bytes"),
        new TestCaseData("ab\uD83D", "half of a surrogate pair in place 2"),
        new TestCaseData("\uDE00\uD83D", "half of a surrogate pair in place 0"),
    ];

    [Test]
    public void Strings_come_back_and_those_that_differ_have_different_bytes()
    {
        var random = new Random(Seed);
        var keys = new HashSet<string>(["a", "a\0", "\0", "é", "e\u0301", "😀", new string('a', 512), new string('é', 256)]);
        for (int i = 0; i < 2000; i++)
            keys.Add(RandomText.Next(random, random.Next(1, 128)));
        var seen = new HashSet<string>();
        foreach (string key in keys)
        {
            byte[] bytes = Write(key);
            Assert.That(_codec.TryRead(bytes, out string? read), Is.True, $"seed {Seed}");
            Assert.That(read, Is.EqualTo(key), $"seed {Seed}");
            Assert.That(seen.Add(Convert.ToHexString(bytes)), Is.True, $"'{key}' has the bytes of another key, seed {Seed}");
        }
    }

    [TestCaseSource(nameof(Refused))]
    public void A_string_that_is_no_key_is_refused_with_what_is_wrong(string key, string found)
    {
        string message = $"Key: expected a string of 1 to 512 bytes of UTF-8, found {found}.";
        using (Assert.EnterMultipleScope())
        {
            Assert.That(() => _codec.Write(key, new byte[512]), Throws.TypeOf<InvalidRecordException>().With.Message.EqualTo(message));
            Assert.That(() => _codec.HandleOf(key, 1), Throws.TypeOf<InvalidRecordException>().With.Message.EqualTo(message));
        }
    }

    [Test]
    public void Damaged_bytes_are_another_key_or_none()
    {
        byte[] bytes = Write("aé😀\u0301z");
        for (int length = 0; length < bytes.Length; length++)
            IsOneOrNone(bytes[..length]);
        for (int bit = 0; bit < bytes.Length * 8; bit++)
        {
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
            IsOneOrNone(bytes);
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
        }

        Assert.That(_codec.TryRead(new byte[513], out _), Is.False);
    }

    [Test]
    public void Handles_depend_on_every_bit_of_the_key_and_on_the_seed([Values(1, 7, 8, 9, 64, 512)] int length)
    {
        char[] letters = [.. Enumerable.Repeat('a', length)];
        var seen = new HashSet<ulong> { _codec.HandleOf(new string(letters), 0), _codec.HandleOf(new string(letters), 1) };
        for (int i = 0; i < length; i++)
        {
            for (int bit = 0; bit < 7; bit++)
            {
                letters[i] ^= (char)(1 << bit);
                Assert.That(seen.Add(_codec.HandleOf(new string(letters), 0)), Is.True, $"letter {i}, bit {bit}");
                letters[i] ^= (char)(1 << bit);
            }
        }
    }

    [Test]
    public void A_hundred_thousand_names_have_handles_of_their_own() =>
        Assert.That(Enumerable.Range(0, 100_000).Select(i => _codec.HandleOf($"documents/{i}", 5)).Distinct().Count(), Is.EqualTo(100_000));

    // Handles are stored: the hash may not change while there are files with handles.
    [TestCase("a", 0UL, 0x46F9437D6474AAE0UL)]
    [TestCase("documents/2024/annual report.pdf", 42UL, 0x3AC6A8B2952FC4C1UL)]
    public void Handles_are_the_same_on_every_machine(string key, ulong seed, ulong handle) =>
        Assert.That(_codec.HandleOf(key, seed), Is.EqualTo(handle), $"0x{_codec.HandleOf(key, seed):X16}");

    private static byte[] Write(string key)
    {
        byte[] bytes = new byte[_codec.MaxBytes];
        int written = _codec.Write(key, bytes);
        Assert.That(written, Is.EqualTo(Encoding.UTF8.GetByteCount(key)));
        return bytes[..written];
    }

    private static void IsOneOrNone(byte[] bytes)
    {
        if (_codec.TryRead(bytes, out string? read))
            Assert.That(Write(read), Is.EqualTo(bytes), Convert.ToHexString(bytes));
    }
}
