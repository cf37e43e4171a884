namespace VectorPipe.Tests.Collections;

/// <summary>A record of a model.</summary>
internal sealed record ModelRecord(float[] Vector, AttributeSet Attributes, byte[] Payload);
