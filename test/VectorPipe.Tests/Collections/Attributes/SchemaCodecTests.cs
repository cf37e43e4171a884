using NUnit.Framework;
using VectorPipe.Collections.Attributes;

namespace VectorPipe.Tests.Collections.Attributes;

public sealed class SchemaCodecTests
{
    private const int Seed = 29;

    [Test]
    public void A_schema_comes_back_as_it_was_written()
    {
        var random = new Random(Seed);
        for (int i = 0; i < 200; i++)
        {
            CollectionSchema schema = RandomRecords.NextSchema(random);
            Assert.That(SchemaCodec.TryRead(SchemaCodec.Write(schema), out CollectionSchema? read), Is.True, $"schema {i}, seed {Seed}");
            Assert.That(read, Is.EqualTo(schema), $"schema {i}, seed {Seed}");
        }
    }

    [Test]
    public void The_largest_schema_comes_back()
    {
        CollectionSchema schema = new()
        {
            Dimension = 32_768,
            Attributes = [.. Enumerable.Range(10, 64).Select(i => new AttributeDefinition(new string('n', 126) + i, AttributeType.Guid))],
        };

        Assert.That(SchemaCodec.TryRead(SchemaCodec.Write(schema.Validated()), out CollectionSchema? read), Is.True);
        Assert.That(read, Is.EqualTo(schema));
    }

    [TestCase(5)]
    [TestCase(20, Category = "Heavy")]
    public void Damaged_bytes_are_another_schema_or_none(int schemas)
    {
        var random = new Random(Seed);
        for (int i = 0; i < schemas; i++)
        {
            byte[] bytes = SchemaCodec.Write(RandomRecords.NextSchema(random));
            foreach (byte[] damaged in Damage.Of(bytes))
            {
                if (SchemaCodec.TryRead(damaged, out CollectionSchema? read))
                    Assert.That(SchemaCodec.Write(read.Validated()), Is.EqualTo(damaged), $"schema {i}, seed {Seed}");
            }

            for (int length = 0; length < bytes.Length; length++)
                Assert.That(SchemaCodec.TryRead(bytes.AsSpan(0, length), out _), Is.False, $"{length} bytes of schema {i}, seed {Seed}");
            Assert.That(SchemaCodec.TryRead([.. bytes, 0], out _), Is.False, $"schema {i}, seed {Seed}");
        }
    }

    [Test]
    public void Two_attributes_of_one_name_are_none()
    {
        var twice = new AttributeDefinition("year", AttributeType.Int64);
        byte[] bytes = SchemaCodec.Write(new CollectionSchema { Dimension = 2, Attributes = [twice, twice] });

        Assert.That(SchemaCodec.TryRead(bytes, out _), Is.False);
    }
}
