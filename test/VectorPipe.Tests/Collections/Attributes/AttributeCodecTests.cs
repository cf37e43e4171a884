using NUnit.Framework;
using VectorPipe.Collections.Attributes;

namespace VectorPipe.Tests.Collections.Attributes;

public sealed class AttributeCodecTests
{
    private const int Seed = 31;

    private static readonly AttributeCodec _codec = Codec(
        new("year", AttributeType.Int64), new("lang", AttributeType.String), new("tags", AttributeType.StringSet),
        new("seen", AttributeType.DateTimeOffset), new("draft", AttributeType.Boolean));

    private static IEnumerable<TestCaseData> Refused =>
    [
        new TestCaseData(
            new AttributeSet { ["year"] = 1, ["yaer"] = 2 },
            "Attributes: expected names of the schema (year, lang, tags, seen, draft), found 'yaer'."),
        new TestCaseData(new AttributeSet { ["year"] = 2024.0 }, "Attribute 'year': expected Int64, found Double."),
        new TestCaseData(
            new AttributeSet { ["lang"] = new string('é', 8193) },
            "Attribute 'lang': expected a string of at most 16384 bytes of UTF-8, found 16386 bytes."),
        new TestCaseData(
            new AttributeSet { ["lang"] = "e\uDC00" },
            "Attribute 'lang': expected a string of at most 16384 bytes of UTF-8, found half of a surrogate pair in place 1."),
        new TestCaseData(
            new AttributeSet { ["tags"] = AttributeValue.StringSet(new string('a', 16_385)) },
            "Attribute 'tags': expected a string of at most 16384 bytes of UTF-8, found 16385 bytes."),
        new TestCaseData(
            new AttributeSet { ["tags"] = Numbers(10_000) },
            "Attributes: expected at most 65536 bytes in all, found 65537 or more, up to 'tags'."),
        new TestCaseData(
            new AttributeSet { ["tags"] = Numbers(32_769) }, "Attribute 'tags': expected at most 65536 bytes in all, found 32769 strings."),
    ];

    [Test]
    public void Records_come_back_as_they_were_written()
    {
        var random = new Random(Seed);
        for (int i = 0; i < 300; i++)
        {
            CollectionSchema schema = RandomRecords.NextSchema(random);
            var codec = new AttributeCodec(schema);
            AttributeSet set = RandomRecords.NextSet(random, schema);
            byte[] bytes = codec.Encode(set);
            Assert.That(codec.TryDecode(bytes, out AttributeSet? read), Is.True, $"record {i}, seed {Seed}");
            Assert.That(read!.Equals(set), Is.True, $"record {i}, seed {Seed}");
            Assert.That(codec.Encode(read), Is.EqualTo(bytes), $"record {i}, seed {Seed}: bits of zeros and NaNs, and offsets, are kept");
        }
    }

    [Test]
    public void A_time_keeps_its_ticks_and_its_offset()
    {
        var time = new DateTimeOffset(2024, 5, 6, 12, 0, 0, TimeSpan.FromMinutes(-210L)).AddTicks(1);
        Assert.That(_codec.TryDecode(_codec.Encode(new AttributeSet { ["seen"] = time }), out AttributeSet? read), Is.True);
        Assert.That(read!["seen"].AsDateTimeOffset().EqualsExact(time), Is.True);
    }

    [Test]
    public void No_attributes_are_no_bytes()
    {
        using (Assert.EnterMultipleScope())
        {
            Assert.That(_codec.Encode(null), Is.Empty);
            Assert.That(_codec.Encode(new AttributeSet()), Is.Empty);
            Assert.That(_codec.TryDecode([], out AttributeSet? read), Is.True);
            Assert.That(read, Is.Empty);
        }
    }

    [Test]
    public void The_order_in_which_attributes_were_set_does_not_change_the_bytes() =>
        Assert.That(
            _codec.Encode(new AttributeSet { ["lang"] = "en", ["year"] = 1 }),
            Is.EqualTo(_codec.Encode(new AttributeSet { ["year"] = 1, ["lang"] = "en" })));

    [TestCaseSource(nameof(Refused))]
    public void A_record_that_does_not_fit_is_refused_with_what_was_expected_and_found(AttributeSet set, string message) =>
        Assert.That(() => _codec.Encode(set), Throws.TypeOf<InvalidRecordException>().With.Message.EqualTo(message));

    [Test]
    public void A_schema_without_attributes_says_so() =>
        Assert.That(
            () => Codec().Encode(new AttributeSet { ["year"] = 1 }),
            Throws.TypeOf<InvalidRecordException>().With.Message.Contains("(it has none), found 'year'"));

    [Test]
    public void A_record_of_64_KiB_comes_back_and_one_more_byte_is_refused()
    {
        // 3 bytes for the place and the count, 2 for the length of each string.
        AttributeSet full = Tags(16_381, 16_381, 16_381, 16_382);
        byte[] bytes = _codec.Encode(full);
        using (Assert.EnterMultipleScope())
        {
            Assert.That(bytes, Has.Length.EqualTo(65_536));
            Assert.That(_codec.TryDecode(bytes, out AttributeSet? read), Is.True);
            Assert.That(read!.Equals(full), Is.True);
            Assert.That(
                () => _codec.Encode(Tags(16_381, 16_381, 16_382, 16_382)),
                Throws.TypeOf<InvalidRecordException>().With.Message.Contains("65536 bytes in all, found 65537"));
        }
    }

    [Test]
    public void Damaged_bytes_are_another_record_or_none()
    {
        var random = new Random(Seed);
        for (int i = 0; i < 30; i++)
        {
            CollectionSchema schema = RandomRecords.NextSchema(random);
            var codec = new AttributeCodec(schema);
            foreach (byte[] damaged in Damage.Of(codec.Encode(RandomRecords.NextSet(random, schema))))
            {
                if (codec.TryDecode(damaged, out AttributeSet? read))
                    Assert.That(codec.Encode(read), Is.EqualTo(damaged), $"record {i}, seed {Seed}");
            }
        }
    }

    [Test]
    public void Random_bytes_are_a_record_or_none()
    {
        var random = new Random(Seed);
        for (int i = 0; i < 20_000; i++)
        {
            byte[] bytes = new byte[random.Next(40)];
            random.NextBytes(bytes);
            if (bytes.Length > 0)
                bytes[0] %= 6;
            if (_codec.TryDecode(bytes, out AttributeSet? read))
                Assert.That(_codec.Encode(read), Is.EqualTo(bytes), $"bytes {i}, seed {Seed}");
        }
    }

    [TestCase("05", Description = "a place that the schema does not have")]
    [TestCase("0402", Description = "neither true nor false")]
    [TestCase("04000400", Description = "an attribute twice")]
    [TestCase("0400000000000000000000", Description = "attributes out of order")]
    [TestCase("010300616263FF", Description = "a place after the end")]
    [TestCase("010100FF", Description = "no UTF-8")]
    [TestCase("01FFFF61", Description = "a longer text than there is")]
    [TestCase("02FFFF", Description = "more strings than there are")]
    [TestCase("0202000100620100" + "61", Description = "strings that fall")]
    [TestCase("02020001006101" + "0061", Description = "a string twice")]
    [TestCase("030000000000000000FFFF", Description = "a local time before year 1")]
    [TestCase("03FFFFFFFFFFFFFF7F0000", Description = "a time after year 9999")]
    [TestCase("0300000000000000104903", Description = "an offset of more than 14 hours")]
    public void Bytes_that_no_record_has_are_refused(string bytes) =>
        Assert.That(_codec.TryDecode(Convert.FromHexString(bytes), out _), Is.False);

    private static AttributeCodec Codec(params AttributeDefinition[] attributes) =>
        new(new CollectionSchema { Dimension = 4, Attributes = attributes }.Validated());

    private static AttributeSet Tags(params int[] lengths) =>
        new() { ["tags"] = AttributeValue.StringSet(lengths.Select((length, i) => new string((char)('a' + i), length))) };

    private static AttributeValue Numbers(int count) => AttributeValue.StringSet(Enumerable.Range(10_000, count).Select(i => $"{i}"));
}
